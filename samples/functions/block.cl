// A call through a block variable counts as convergent; the body of the block is a function of its own, with one tangle.
kernel void k(global int *out) {
  int t = get_local_id(0);
  int (^const f)(int) = ^(int v) {
    return v + sub_group_reduce_add(v);
  };
  out[t] = f(t);  //~ defined
  if (t & 1)
    goto on;
  out[t] += 1;
on:
  out[t] += f(t);  //~ warning[implementation-defined-convergence]: f
}
