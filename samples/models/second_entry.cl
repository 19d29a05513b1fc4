// A second entry into a goto cycle: the span is left to the implementation under both models. Behind it the revision
// reconverges.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  if (t & 1)
    goto middle;
  out[t] += sub_group_ballot(1).x;  //~ defined
again:  //~ implementation-defined
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
middle:  //~ implementation-defined
  out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  if (++i < t)  //~ implementation-defined
    goto again;
  out[t] += sub_group_ballot(4).x;  //~[tangles] warning[implementation-defined-convergence]: sub_group_ballot //~[revised] defined
}
