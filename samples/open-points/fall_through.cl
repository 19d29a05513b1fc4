// Open point: fall-through. As written in the text: unrelated until the end of the `switch`, and each further label adds one.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 3) {
  case 0:  //~ tangles: case-label //~ defined
    out[t] = 1;  //~ tangles: case-label
  case 1:  //~ tangles: case-label, case-label //~ implementation-defined
    out[t] = 2;  //~ tangles: 2 //~ implementation-defined
  default:  //~ tangles: case-label, case-label, case-label //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ tangles: 3 //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 11
  }
}
