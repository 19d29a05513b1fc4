// Matrix products: NVIDIA's oclMatrixMul, AMD's tiles in local memory, and one with checks at the edges.

#define BLOCK_SIZE 16
#define AS(i, j) As[j + i * BLOCK_SIZE]
#define BS(i, j) Bs[j + i * BLOCK_SIZE]

kernel void matrixMul(global float *C, global float *A, global float *B, local float *As, local float *Bs, int uiWA,
                      int uiWB, int trueLocalSize1) {
  int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  int aBegin = uiWA * BLOCK_SIZE * by, aEnd = aBegin + uiWA - 1, aStep = BLOCK_SIZE;
  int bBegin = BLOCK_SIZE * bx, bStep = BLOCK_SIZE * uiWB;
  float Csub = 0.0f;
  for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
    AS(ty, tx) = A[a + uiWA * ty + tx];
    BS(ty, tx) = B[b + uiWB * ty + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k)
      Csub += AS(ty, k) * BS(k, tx);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (get_global_id(1) < trueLocalSize1)
    C[get_global_id(1) * get_global_size(0) + get_global_id(0)] = Csub;
}

kernel void mmmKernel_local(global float4 *matrixA, global float4 *matrixB, global float4 *matrixC, int widthA,
                            local float4 *blockA) {
  int blockPos = get_local_id(0) + get_local_size(0) * (get_local_id(1) << 2);
  int globalPos = get_global_id(0) + (get_global_id(1) << 2) * get_global_size(0);
  float4 sum0 = (float4)(0);
  int temp = widthA / 4;
  for (int i = 0; i < (temp / get_local_size(0)); i++) {
    int globalPosA = i * get_local_size(0) + get_local_id(0) + (get_global_id(1) << 2) * temp;
    blockA[blockPos] = matrixA[globalPosA];
    barrier(CLK_LOCAL_MEM_FENCE);
    int globalPosB = get_global_id(0) + ((i * get_local_size(0)) << 2) * get_global_size(0);
    for (int j = 0; j < get_local_size(0) * 4; j = j + 4) {
      float4 tempA0 = blockA[(j >> 2) + get_local_id(1) * 4 * get_local_size(0)];
      sum0 += tempA0.x * matrixB[globalPosB + j * get_global_size(0)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  matrixC[globalPos] = sum0;
}

kernel void with_edges(global const float *restrict a, global const float *restrict b, global float *restrict c, int m,
                       int n, int k) {
  local float as[BLOCK_SIZE][BLOCK_SIZE], bs[BLOCK_SIZE][BLOCK_SIZE];
  int row = get_global_id(1), col = get_global_id(0), y = get_local_id(1), x = get_local_id(0);
  float sum = 0;
  for (int t = 0; t < (k + BLOCK_SIZE - 1) / BLOCK_SIZE; t++) {
    int ax = t * BLOCK_SIZE + x, by = t * BLOCK_SIZE + y;
    as[y][x] = row < m && ax < k ? a[row * k + ax] : 0;
    bs[y][x] = by < k && col < n ? b[by * n + col] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < BLOCK_SIZE; i++)
      sum += as[y][i] * bs[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}
