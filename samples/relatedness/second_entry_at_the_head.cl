// A forward jump to the head of a goto cycle: the two ways in are unrelated, and both go round.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  if (t & 1)
    goto again;
  out[t] = 1;  //~ tangles: sequence //~ defined
again:  //~ implementation-defined
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  if (++i < t)  //~ implementation-defined
    goto again;
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
