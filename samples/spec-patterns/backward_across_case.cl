// Section Divergent Jumps: a `goto` that jumps backwards across a `case` that is fallen into. The `case` is a second entry
// into the span from `back` to the jump.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  switch (t & 1) {
  case 0:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: case-label //~ defined
  back:  //~ implementation-defined
    out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  case 1:  //~ implementation-defined
    out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
    if (++i < t)  //~ implementation-defined
      goto back;
    out[t] += sub_group_ballot(4).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  }
  out[t] += sub_group_ballot(5).x;  //~ tangles: function-body //~ defined
}
