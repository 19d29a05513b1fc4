// Two backward jumps to one label: what they bring from one iteration are siblings. Both derive from it, neither from the other, so
// they can meet at the label and wherever both come.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
again:  //~ implementation-defined
  out[t] += sub_group_ballot(0).x;  //~ warning[implementation-defined-convergence]: by `goto again` from 2 places
  ++i;
  if (i < t)
    goto again;
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  if (i < t + 4)
    goto again;
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
// One jump back: each iteration is one tangle.
kernel void one_jump(global uint *out) {
  int t = get_local_id(0), i = 0;
again:
  out[t] += sub_group_ballot(0).x;  //~ defined
  ++i;
  if (i < t || i < t + 4)
    goto again;
}
// The same at a barrier, by one jump from each side of a branch: the text does not bring together what goes back from the two sides.
kernel void each_side_goes_back(global int *p, int n) {
  int size = get_group_id(0);
again:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
  size = size * 2 + 1;
  if (size > n)
    return;
  if (get_local_id(0) & 1)
    goto again;
  p[get_global_id(0)] = size;
  goto again;
}
