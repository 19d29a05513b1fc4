// Clean-up by `goto` with no operation behind the label: the label is left to the implementation, but nobody can tell.
kernel void k(global int *out, local int *x, int n) {
  int t = get_local_id(0), ok = 0;
  x[t] = out[t];
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  if (x[t] < 0)
    goto cleanup;
  ok = x[t ^ 1] > n;
cleanup:  //~ implementation-defined
  out[t] = ok;  //~ implementation-defined
}
