// A transpose through local memory with bounds checks around the loads and stores, but not around the barrier.
#define TILE 32
#define ROWS 8

kernel void transpose(global const float *in, global float *out, int width, int height) {
  local float tile[TILE][TILE + 1];
  int x = get_group_id(0) * TILE + get_local_id(0), y = get_group_id(1) * TILE + get_local_id(1);
  for (int i = 0; i < TILE; i += ROWS)
    if (x < width && y + i < height)
      tile[get_local_id(1) + i][get_local_id(0)] = in[(y + i) * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  x = get_group_id(1) * TILE + get_local_id(0);
  y = get_group_id(0) * TILE + get_local_id(1);
  for (int i = 0; i < TILE; i += ROWS)
    if (x < height && y + i < width)
      out[(y + i) * height + x] = tile[get_local_id(0)][get_local_id(1) + i];
}
