// The mask equals the lanes that reach the call.
#include <hip/hip_runtime.h>

__global__ void all_lanes(int *p) { p[threadIdx.x] = __shfl_xor_sync(~0ull, p[threadIdx.x], 1); }

__global__ void mask_of_the_branch(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 64 < 32)
    v = __shfl_xor_sync(0xffffffffull, v, 1);
  p[threadIdx.x] = v;
}

__global__ void whole_waves(int *p, int n) {
  int v = p[threadIdx.x];
  if (threadIdx.x / 64 == n)
    v = __shfl_xor_sync(~0ull, v, 1);
  p[threadIdx.x] = v;
}

// An operation without a mask is one of the active lanes.
__global__ void without_mask(int *p, int n) {
  int v = p[threadIdx.x];
  if (threadIdx.x < n)
    v = __any(v > 0);
  p[threadIdx.x] = v;
}
