// The tree reduction: a barrier in the body of a loop, not in the branch. Structured, so silent.
kernel void k(global const float *in, global float *out, local float *x) {
  int t = get_local_id(0);
  x[t] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (t < s)  //~ tangles: loop-body
      x[t] += x[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
  }
  if (t == 0)
    out[get_group_id(0)] = x[0];
}
