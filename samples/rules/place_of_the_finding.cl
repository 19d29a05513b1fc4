// A finding stands at the name of the function in the call: line and column, and one for each call.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 2)
    goto on;
  out[t] = 1;
on:
  out[t] = sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]@12: sub_group_ballot
  out[t] +=
      sub_group_ballot(1).x  //~ warning[implementation-defined-convergence]@7: sub_group_ballot
      + sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]@9: sub_group_ballot
}
