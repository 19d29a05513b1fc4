// One finding for each operation: two operations on a line are two findings.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 2)
    goto on;
  out[t] = 1;
on:
  out[t] = sub_group_ballot(1).x + sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]@12: sub_group_ballot //~ warning[implementation-defined-convergence]@36: sub_group_ballot
}
