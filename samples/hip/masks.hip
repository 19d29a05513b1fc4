// In HIP, a mask is not enough: its threads must reach one call together (docs/semantics.md §10). So operations with a
// mask have implementation-defined convergence like others, and the finding points at the mask.
#include <hip/hip_runtime.h>

__global__ void forward_goto(int *p) {
  int i = threadIdx.x, v = p[i];
  if (v < 0)
    goto on;
  v = -v;
on:
  v += __shfl_xor_sync(~0ull, v, 1); //~ warning[implementation-defined-convergence]: `__shfl_xor_sync` //~ origin: `__shfl_xor_sync`
  __syncwarp(~0ull); //~ warning[implementation-defined-convergence]: `__syncwarp` //~ origin: `__syncwarp`
  __syncwarp(); //~ warning[implementation-defined-convergence]: `__syncwarp`
  v += __shfl_xor(v, 1); //~ warning[implementation-defined-convergence]: `__shfl_xor`
  __syncthreads(); //~ warning[implementation-defined-convergence]: `__syncthreads`
  p[i] = v;
}

__global__ void fall_through(int *p) {
  int i = threadIdx.x, mode = p[i], v = 0;
  unsigned long long mask = __ballot(mode == 0 || mode == 1);
  switch (mode) {
  case 0:
    p[i] = 1;
  case 1:
    v = __popcll(__ballot_sync(mask, p[i] > 0)); //~ warning[implementation-defined-convergence]: `__ballot_sync` //~ origin: `__ballot_sync`
  }
  p[i] = v;
}

__device__ int sum(int v) {
  for (int d = 32; d > 0; d /= 2)
    v += __shfl_down_sync(~0ull, v, d);
  return v;
}

__global__ void helper(int *p) {
  int i = threadIdx.x, v = p[i];
  if (v < 0)
    goto on;
  v = -v;
on:
  v += sum(v); //~ warning[implementation-defined-convergence]: `sum` calls `__shfl_down_sync`
  p[i] = v;
}
