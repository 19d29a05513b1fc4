// Pattern of interest: a `switch` that jumps into a loop. `case 1` is an entry of the loop beside its head, so the loop is
// left to the implementation, up to the end of the `switch`.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  switch (t & 1) {
  case 0:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: case-label //~ defined
    while (n-- > 0) {  //~ tangles: case-label //~ defined
      out[t] += 2;  //~ implementation-defined
  case 1:  //~ implementation-defined
      out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 13
    }
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
