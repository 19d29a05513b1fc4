// Multiply a sparse matrix by a vector, tile by tile. A row without entries in a tile goes on to the next tile.
kernel void multiply(global const float *matrix, global const float *vector, global const int *entries,
                     global float *out, int tiles) {
  local float tile[64];
  int row = get_global_id(0);
  int lid = get_local_id(0);
  float sum = 0;

  for (int t = 0; t < tiles; t++) {
    if (entries[row * tiles + t] == 0)
      continue;

    tile[lid] = vector[t * 64 + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 64; k++)
      sum += matrix[(row * tiles + t) * 64 + k] * tile[k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[row] = sum;
}
