// A tiled matrix product whose edge tiles are padded by `?:` instead of a return before the barriers.
#define TILE 16

kernel void matmul(global const float *a, global const float *b, global float *c, int m, int n, int k) {
  local float left[TILE][TILE], right[TILE][TILE];
  int row = get_global_id(1), column = get_global_id(0);
  int y = get_local_id(1), x = get_local_id(0);
  float sum = 0.0f;
  for (int tile = 0; tile < (k + TILE - 1) / TILE; tile++) {
    int ax = tile * TILE + x, by = tile * TILE + y;
    left[y][x] = row < m && ax < k ? a[row * k + ax] : 0.0f;
    right[y][x] = by < k && column < n ? b[by * n + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
#pragma unroll
    for (int i = 0; i < TILE; i++)
      sum = mad(left[y][i], right[i][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}
