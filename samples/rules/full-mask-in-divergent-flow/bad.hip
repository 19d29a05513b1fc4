// In HIP, the mask must equal the lanes that reach the call (docs/semantics.md §10). Its header asserts this also for
// threads that have left the kernel, but hardware does not wait for them: a warning.
#include <hip/hip_runtime.h>

__global__ void half_of_the_wave(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 64 < 32)
    v = __shfl_xor_sync(~0ull, v, 1); //~ error[full-mask-in-divergent-flow]: lanes 32 to 63 of the mask do not reach
  p[threadIdx.x] = v;
}

__global__ void both_sides(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 64 < 8)
    v = __shfl_xor_sync(~0ull, v, 1); //~ error[full-mask-in-divergent-flow]: lanes 8 to 63
  else
    v = __shfl_xor_sync(~0ull, v, 1); //~ error[full-mask-in-divergent-flow]: names lanes 0 to 7, which do not reach
  p[threadIdx.x] = v;
}

__global__ void early_return(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] = __shfl_xor_sync(~0ull, p[i], 1); //~ warning[full-mask-in-divergent-flow]: threads that returned early never reach
}

__global__ void returned_and_elsewhere(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (p[i] > 0)
    p[i] = __shfl_xor_sync(~0ull, p[i], 1); //~ warning[full-mask-in-divergent-flow]: `__shfl_xor_sync`
}
