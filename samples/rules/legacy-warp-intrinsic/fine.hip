// In HIP, the operations without a mask are the usual ones.
#include <hip/hip_runtime.h>

__global__ void shuffle(int *p) { p[threadIdx.x] += __shfl_xor(p[threadIdx.x], 1); }

__global__ void votes(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __any(v > 0) + __all(v > 0) + __popcll(__ballot(v > 0));
}
