// The bounds check done right: the check guards the accesses, and the barrier stands outside, where all threads come.
kernel void k(global const float *in, global float *out, local float *tile, int n) {
  int g = get_global_id(0), t = get_local_id(0);
  if (g < n)
    tile[t] = in[g];
  else
    tile[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  if (g < n)
    out[g] = tile[get_local_size(0) - 1 - t];
}
