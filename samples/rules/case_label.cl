// Rule case-label: each `case` has the threads that jumped to it. Closed by `break`, none falls into the next, and after the
// `switch` there is one tangle again.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 3) {  //~ tangles: function-body //~ defined
  case 0:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: case-label //~ defined
    break;  //~ tangles: case-label
  case 1: {  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(2).x;  //~ tangles: case-label //~ defined
    break;
  }
  default:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(3).x;  //~ tangles: case-label //~ defined
  }
  out[t] += sub_group_ballot(4).x;  //~ tangles: function-body //~ defined
}
