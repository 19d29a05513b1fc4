// Transpose a matrix through a tile in local memory. Work-items outside the matrix have nothing to do, so they return.
#define TILE 16

kernel void transpose(global const float *in, global float *out, int width, int height) {
  local float tile[TILE][TILE + 1];
  int x = get_global_id(0);
  int y = get_global_id(1);
  int lx = get_local_id(0);
  int ly = get_local_id(1);

  if (x >= width || y >= height)
    return;

  tile[ly][lx] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);

  // Neighbouring work-items write neighbouring elements.
  int tx = get_group_id(1) * TILE + lx;
  int ty = get_group_id(0) * TILE + ly;
  if (tx < height && ty < width)
    out[ty * height + tx] = tile[lx][ly];
}
