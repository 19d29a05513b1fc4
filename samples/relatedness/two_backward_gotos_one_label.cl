// Two backward jumps to one label: what stands between them is behind the first cycle and not in it, so it is a family,
// although the second cycle contains it.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
again:
  ++i;
  if (i < t)
    goto again;
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  if (i < t + 4)
    goto again;
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
