// Vectors are records of their lanes: `float3` has 12 bytes, and no vector is aligned to more than 16 (vector_types.h).
#include <cuda_runtime.h>

struct particle {
  float3 at;
  float mass;
};

__global__ void sizes(float *p) {
  if (sizeof(float3) == 12 && threadIdx.x < 3)
    __syncthreads(); //~ error[divergent-barrier]
  if (sizeof(float3) == 16 && threadIdx.x < 3)
    __syncthreads();
  if (sizeof(particle) == 16 && threadIdx.x < 3)
    __syncthreads(); //~ error[divergent-barrier]
  if (alignof(double4) > 16 && threadIdx.x < 3)
    __syncthreads();
}

// The variables of the language are vectors, too: each field is known.
__global__ void fields_of_indices(float *p, int n) {
  uint3 t = threadIdx;
  if (threadIdx.y < blockDim.y)
    __syncthreads();
  if (t.x < n)
    __syncthreads(); //~ error[divergent-barrier]
  uint3 b = blockIdx;
  if (b.x < n)
    __syncthreads();
}
