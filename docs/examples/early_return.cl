kernel void blur(global const float *in, global float *out, local float *tile, int n) {
  int i = get_global_id(0);
  int t = get_local_id(0);
  if (i >= n)
    return;
  tile[t] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = (tile[t] + tile[t > 0 ? t - 1 : 0]) / 2;
}
