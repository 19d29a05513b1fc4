// Threads that jump past a goto cycle are one tangle at the label; those that leave the cycle iteration by iteration are a family.
kernel void k(global int *p) {
  int t = get_local_id(0);
  if (t & 1)
    goto out;
again:  //~ tangles: sequence //~ defined
  p[t] -= 1;
  if (p[t] > 0)
    goto again;
out:  //~ tangles: sequence*, goto-label[forward] //~ implementation-defined //~ rejoins: 12
  p[t] = sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: several paths
}
