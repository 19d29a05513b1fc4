// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// FBGEMM 2e1b6f46: of a block of one warp the first thread returns, and the others wait: as it was.

#include <hip/hip_runtime.h>
#define WARP_SIZE 64

template <int TILE, int BLOCK_DIM_X> __global__ void gemv(const float *in, float *res, unsigned n) {
  const unsigned tid = threadIdx.x, lane = tid % WARP_SIZE, warp = tid / WARP_SIZE;
  __shared__ float sums[TILE][BLOCK_DIM_X / WARP_SIZE];
  float sum[TILE];
  for (int i = 0; i < TILE; i++) {
    sum[i] = warp_sum(in[i * n + tid]);
    if (lane == 0)
      sums[i][warp] = sum[i];
  }
  if (blockDim.x <= WARP_SIZE) {
    if (tid == 0) {
      for (int i = 0; i < TILE; i++)
        res[i + blockIdx.x * n] = sum[i];
      return;
    }
  }
  __syncthreads(); //~ warning[barrier-after-return]
  if (tid < TILE)
    res[tid + blockIdx.x * n] = sums[tid][0] + sums[tid][1];
}
