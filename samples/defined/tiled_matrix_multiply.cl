// The tiled product of matrices: two barriers in a loop, no jump. Silent.
#define TILE 16
kernel void multiply(global const float *a, global const float *b, global float *c, int n) {
  local float ta[TILE][TILE], tb[TILE][TILE];
  int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k += TILE) {
    ta[y][x] = a[gy * n + k + x];
    tb[y][x] = b[(k + y) * n + gx];
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
    for (int i = 0; i < TILE; ++i)
      sum += ta[y][i] * tb[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
  }
  c[gy * n + gx] = sum;
}
