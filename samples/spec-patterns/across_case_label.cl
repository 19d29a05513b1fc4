// Pattern of interest: a `goto` that jumps across a `case` label. At `shared` the threads of `case 1` meet those that jumped
// from `case 0`.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 3) {  //~ defined
  case 0:  //~ tangles: case-label //~ defined
    out[t] = 1;  //~ tangles: case-label
    goto shared;
  case 1:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: case-label //~ defined
  shared:  //~ tangles: case-label, goto-label //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
    break;
  default:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: case-label //~ defined
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
