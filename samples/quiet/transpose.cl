// Transposes: NVIDIA's oclTranspose, and AMD's MatrixTranspose with four rows for each work-item.

#define BLOCK_DIM 16

kernel void transpose(global float *odata, global float *idata, int offset, int width, int height,
                      local float *block) {
  unsigned int xIndex = get_global_id(0), yIndex = get_global_id(1);
  if ((xIndex + offset < width) && (yIndex < height)) {
    unsigned int index_in = yIndex * width + xIndex + offset;
    block[get_local_id(1) * (BLOCK_DIM + 1) + get_local_id(0)] = idata[index_in];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  xIndex = get_group_id(1) * BLOCK_DIM + get_local_id(0);
  yIndex = get_group_id(0) * BLOCK_DIM + get_local_id(1);
  if ((xIndex < height) && (yIndex + offset < width)) {
    unsigned int index_out = yIndex * height + xIndex;
    odata[index_out] = block[get_local_id(0) * (BLOCK_DIM + 1) + get_local_id(1)];
  }
}

kernel void matrixTranspose(global float4 *output, global float4 *input, local float4 *block) {
  uint wiWidth = get_global_size(0), gix_t = get_group_id(0), giy_t = get_group_id(1);
  uint num_of_blocks_x = get_num_groups(0);
  uint giy = gix_t, gix = (gix_t + giy_t) % num_of_blocks_x;
  uint lix = get_local_id(0), liy = get_local_id(1), blockSize = get_local_size(0);
  uint ix = gix * blockSize + lix, iy = giy * blockSize + liy;
  int index_in = ix + iy * wiWidth * 4;
  int ind = liy * blockSize * 4 + lix;
  for (int k = 0; k < 4; k++)
    block[ind + k * blockSize] = input[index_in + k * wiWidth];
  barrier(CLK_LOCAL_MEM_FENCE);
  ix = giy * blockSize + lix;
  iy = gix * blockSize + liy;
  int index_out = ix + iy * wiWidth * 4;
  ind = lix * blockSize * 4 + liy;
  float4 v0 = block[ind], v1 = block[ind + blockSize];
  output[index_out] = (float4)(v0.x, v1.x, v0.y, v1.y);
}
