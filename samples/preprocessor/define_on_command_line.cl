// args: -D CHECKED=1 -D WAIT(flags)=barrier(flags)
// What the command line defines counts as if it were written: here it turns a jump on, and names the operation.
kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
#if CHECKED
  if (t & 1)
    goto on;
#endif
  x[t] = out[t];
on:
  WAIT(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
  out[t] = x[t ^ 1];
}
