// The tree reduction whose idle threads jump to the end of the body: they meet the others at the barrier in each iteration.
kernel void k(global const float *in, global float *out, local float *x) {
  int t = get_local_id(0);
  x[t] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (t >= s)
      goto idle;
    x[t] += x[t + s];
  idle:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
    barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier //~ rejoins: 12
  }
  if (t == 0)
    out[get_group_id(0)] = x[0];
}
