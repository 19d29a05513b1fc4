// arrayfire b3e927ed: Threads retire between the barriers of a hand-written reduction: as it was.

#include <cub/cub.cuh>
__global__ void counts(const unsigned *c, unsigned *out) {
  __shared__ unsigned s[256];
  const int tid = threadIdx.y * 32 + threadIdx.x;
  s[tid] = c[blockIdx.x * 256 + tid];
  __syncthreads();
  if (tid >= 128) return;
  if (tid < 128) s[tid] += s[tid + 128]; __syncthreads();  //~ note[barrier-after-return]
  if (tid >= 64) return;
  if (tid < 64) s[tid] += s[tid + 64]; __syncthreads();  //~ note[barrier-after-return]
  if (tid == 0) { unsigned r = 0; for (int i = 0; i < 64; i++) r += s[i]; out[blockIdx.x] = r; }
}
