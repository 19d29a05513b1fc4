// Hillis and Steele's scan with two buffers. Silent.
kernel void scan(global int *data, local int *a, local int *b) {
  int t = get_local_id(0), n = get_local_size(0);
  a[t] = data[t];
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  for (int d = 1; d < n; d *= 2) {
    b[t] = t >= d ? a[t] + a[t - d] : a[t];
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    local int *swap = a;
    a = b;
    b = swap;
  }
  data[t] = a[t];
}
