// Operations with a mask, and operations without one that are not deprecated.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void shuffles(int *p) {
  int v = p[threadIdx.x];
  v += __shfl_sync(0xffffffff, v, 0);
  v += __shfl_up_sync(0xffffffff, v, 1);
  v += __shfl_down_sync(0xffffffff, v, 1);
  v += __shfl_xor_sync(0xffffffff, v, 1);
  p[threadIdx.x] = v;
}

__global__ void votes(int *p) {
  int v = p[threadIdx.x];
  v += __any_sync(0xffffffff, v > 0);
  v += __all_sync(0xffffffff, v > 0);
  v += __ballot_sync(0xffffffff, v > 0);
  p[threadIdx.x] = v;
}

__global__ void active(int *p) { p[threadIdx.x] = __popc(__activemask()); }

// Only older devices have the code.
__device__ int sum(int v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
  return v + __shfl_xor(v, 1);
#else
  return v + __shfl_xor_sync(0xffffffff, v, 1);
#endif
}

__global__ void by_version(int *p) { p[threadIdx.x] = sum(p[threadIdx.x]); }

// Functions of the program with such names.
namespace mine {
__device__ int shfl(int v) { return v; }
}

__global__ void own_function(int *p) { p[threadIdx.x] = mine::shfl(p[threadIdx.x]); }

// The group says which lanes take part.
__global__ void tile(int *p) {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  p[threadIdx.x] = tile.any(p[threadIdx.x] > 0) + tile.shfl_xor(p[threadIdx.x], 1);
}

// Only older toolkits have the code.
__global__ void by_toolkit(int *p) {
#if CUDART_VERSION < 9000
  p[threadIdx.x] = __any(p[threadIdx.x] > 0);
#else
  p[threadIdx.x] = __any_sync(0xffffffff, p[threadIdx.x] > 0);
#endif
}

// The old name, given a mask.
#define __shfl_down(value, delta) __shfl_down_sync(0xffffffff, value, delta)

__global__ void macro(int *p) { p[threadIdx.x] += __shfl_down(p[threadIdx.x], 4); }
