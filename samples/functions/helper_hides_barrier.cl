// A helper that holds a barrier is a convergent function: its call is the operation, so the warning stands at the call, and not
// in the helper, whose body has one tangle.
void sync(void) {
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
}

kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  sync();  //~ defined
  if (t & 1)
    goto on;
  x[t] = out[t];
on:
  sync();  //~ warning[implementation-defined-convergence]: sync
  out[t] = x[t ^ 1];
}
