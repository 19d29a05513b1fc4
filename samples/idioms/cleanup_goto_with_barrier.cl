// Clean-up by `goto` with a barrier behind the label: three tangles can meet there.
kernel void k(global int *out, local int *x, int n) {
  int t = get_local_id(0);
  if (out[t] < t)
    goto cleanup;
  x[t] = out[t];
  if (x[t] > t)
    goto cleanup;
  out[t] = 0;
cleanup:  //~ tangles: 3 //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier //~ rejoins: 13
  x[t] = 0;
}
