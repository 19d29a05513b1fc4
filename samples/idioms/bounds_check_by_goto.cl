// The bounds check by `goto`: the threads that skip the load meet the others at a label, and whether they converge at the
// barrier behind it is left to the implementation. This is the mistake that the tool is for.
kernel void k(global const float *in, global float *out, local float *tile, int n) {
  int g = get_global_id(0), t = get_local_id(0);
  tile[t] = 0;
  if (g >= n)
    goto wait;
  tile[t] = in[g];
wait:
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
  if (g < n)
    out[g] = tile[get_local_size(0) - 1 - t];
}
