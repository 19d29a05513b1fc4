// HIP promises nothing of a barrier that some have left before (docs/semantics.md §10).
#include <hip/hip_runtime.h>

__global__ void left(const int *in, int *out, int n) {
  int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  if (i >= n)
    return;
  out[i] = in[i];
  __syncthreads(); //~ warning[barrier-after-return]: `__syncthreads`
}

__global__ void elsewhere(int *p) {
  if (threadIdx.x < 32)
    __syncthreads(); //~ error[divergent-barrier]: not all threads reach
}

__global__ void by_hand(int *p) {
  if (threadIdx.x < 32)
    __builtin_amdgcn_s_barrier(); //~ error[divergent-barrier]
}
