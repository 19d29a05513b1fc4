// A goto cycle is the range of statements from the label to the `goto`, in the order of the source. So the verdict depends on
// the order of the branches: two kernels that do the same, one statement inside the range and behind it.
kernel void inside(global const int *way, global uint *out) {
  int n = 0, t = get_local_id(0);
again:
  n++;
  if (way[t + n])
    out[t] += sub_group_ballot(1).x;  //~ defined
  else
    goto again;
}
kernel void behind(global const int *way, global uint *out) {
  int n = 0, t = get_local_id(0);
again:
  n++;
  if (!way[t + n])
    goto again;
  else
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
