// A stencil with a halo: branches for the border, then a barrier. Silent.
kernel void blur(global const float *in, global float *out, local float *row, int n) {
  int g = get_global_id(0), t = get_local_id(0), size = get_local_size(0);
  row[t + 1] = g < n ? in[g] : 0;
  if (t == 0)
    row[0] = g > 0 ? in[g - 1] : 0;
  else if (t == size - 1)
    row[size + 1] = g + 1 < n ? in[g + 1] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  if (g < n)
    out[g] = (row[t] + row[t + 1] + row[t + 2]) / 3;
}
