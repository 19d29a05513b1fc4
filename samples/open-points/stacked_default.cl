// Open point: `default` stacked with a `case` is the same as two cases.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 3) {
  case 2:
    out[t] = sub_group_ballot(2).x;  //~ tangles: case-label //~ defined
    break;
  default:  //~ tangles: case-label //~ defined
  case 1:  //~ tangles: case-label, case-label[stacked] //~ implementation-defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: 2 //~ warning[implementation-defined-convergence]: sub_group_ballot
  }
}
