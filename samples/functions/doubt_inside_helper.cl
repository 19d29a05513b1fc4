// The doubtful statement lies in the helper: the warning stands there, once, and not at the calls.
int helper(int v) {
  if (v & 1)
    goto on;
  v += 2;
on:
  return v + sub_group_reduce_add(v);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
}

kernel void k(global int *out) {
  int t = get_local_id(0);
  out[t] = helper(t);  //~ defined
  out[t] += helper(t + 1);  //~ defined
}
