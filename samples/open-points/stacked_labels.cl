// Open point: stacked labels with nothing between. As written in the text they are two candidates; the second is marked, so
// that a rule can treat it more gently.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 3) {
  case 0:  //~ tangles: case-label //~ defined
  case 1:  //~ tangles: case-label, case-label[stacked] //~ implementation-defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: 2 //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 12
    break;
  case 2:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(2).x;  //~ tangles: case-label //~ defined
  }
}
