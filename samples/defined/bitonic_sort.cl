// Bitonic sort: barriers in two nested loops, the exchange in a branch between them. Silent.
kernel void sort(global int *data, local int *x) {
  int t = get_local_id(0), n = get_local_size(0);
  x[t] = data[t];
  for (int size = 2; size <= n; size <<= 1) {
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
      int other = t ^ stride;
      if (other > t) {
        int up = (t & size) == 0;
        if ((x[t] > x[other]) == up) {
          int swap = x[t];
          x[t] = x[other];
          x[other] = swap;
        }
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  data[t] = x[t];
}
