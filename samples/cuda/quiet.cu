// Correct kernels as people write them: no rule finds anything.
#include <cuda_runtime.h>
#define TILE 16
#define FULL 0xffffffffu

__global__ void multiply(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.f;
  for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
    const int k = t * TILE;
    as[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0.f;
    bs[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0.f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

__inline__ __device__ float warp_sum(float v) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    v += __shfl_down_sync(FULL, v, offset);
  return v;
}

__inline__ __device__ float block_sum(float v) {
  static __shared__ float shared[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  v = warp_sum(v);
  if (lane == 0)
    shared[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0.f;
  if (warp == 0)
    v = warp_sum(v);
  return v;
}

__global__ void reduce(const float *in, float *out, int n) {
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0)
    atomicAdd(out, sum);
}

extern __shared__ int dynamic[];

__global__ void scan(int *data, int n) {
  int t = threadIdx.x;
  dynamic[t] = t < n ? data[t] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    int v = t >= d ? dynamic[t - d] : 0;
    __syncthreads();
    dynamic[t] += v;
    __syncthreads();
  }
  if (t < n)
    data[t] = dynamic[t];
}

__global__ void last_block(const int *in, int *out, unsigned *count) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    __syncthreads();
    if (threadIdx.x == 0)
      *count = 0;
  }
}

__global__ void __launch_bounds__(256) early(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = in[i];
}
