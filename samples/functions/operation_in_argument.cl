// An operation in an argument is an operation of its own beside the call that it stands in.
int total(int v) { return sub_group_reduce_add(v); }

kernel void k(global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += total(  //~ warning[implementation-defined-convergence]: total
      sub_group_reduce_max(t));  //~ warning[implementation-defined-convergence]: sub_group_reduce_max
  out[t] += abs(sub_group_reduce_min(t));  //~ warning[implementation-defined-convergence]: sub_group_reduce_min
}
