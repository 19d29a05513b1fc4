// The tree reduction of every text book: the barrier stands in the loop but outside the `if`. Loops and branches without
// `goto` are always defined (thread-convergence, Iteration Statement).
kernel void sum(global const float *in, global float *out, local float *part, uint n) {
  uint t = get_local_id(0), i = get_global_id(0);
  part[t] = i < n ? in[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size >>= 1) {  //~ tangles: function-body
    if (t < half_size)  //~ tangles: loop-body
      part[t] += part[t + half_size];  //~ tangles: if-branch
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
  }
  if (t == 0)  //~ tangles: function-body
    out[get_group_id(0)] = part[0];
}
