// Pattern of interest: a `case` that falls through to the next. Threads that jumped to `case 1` do not reconverge with those
// that fall into it until the end of the `switch` (section Divergent Jumps).
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 3) {
  case 0:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: case-label //~ defined
  case 1:  //~ tangles: case-label, case-label //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ tangles: case-label, case-label //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 10
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
