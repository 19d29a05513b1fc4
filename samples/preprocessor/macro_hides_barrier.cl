// A macro that hides a barrier: the finding stands where the macro is used.
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#define SYNC_AGAIN do { SYNC(); } while (0)

kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  SYNC();  //~ defined
  if (t & 1)
    goto on;
  x[t] = out[t];
on:
  SYNC();  //~ warning[implementation-defined-convergence]@3: barrier
  SYNC_AGAIN;  //~ warning[implementation-defined-convergence]@3: barrier
  out[t] = x[t ^ 1];
}
