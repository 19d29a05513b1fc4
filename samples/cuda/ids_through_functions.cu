// Functions that compute an index from ids, sizes and numbers: the caller knows how the result depends on the ids.

#include <cub/cub.cuh>

struct grid {
  static constexpr __device__ long global_thread_id(int thread, int block, int size) {
    return thread + (long)block * size;
  }
};

constexpr int warp_size{32};
constexpr int half_a_warp = 16;

typedef cub::WarpReduce<int> Reduce;

// The block size is a multiple of 32, so all threads of a warp have the same quotient.
__global__ void whole_warps(int n, int *out) {
  __shared__ typename Reduce::TempStorage t[4];
  auto i = grid::global_thread_id(threadIdx.x, blockIdx.x, blockDim.x);
  if (i / warp_size >= n)
    return;
  out[i] = Reduce(t[threadIdx.x / 32]).Sum(out[i]);
}

__global__ void halves_of_warps(int n, int *out) {
  __shared__ typename Reduce::TempStorage t[4];
  auto i = grid::global_thread_id(threadIdx.x, blockIdx.x, blockDim.x);
  if (i / half_a_warp >= n)
    return;
  out[i] = Reduce(t[threadIdx.x / 32]).Sum(out[i]);  //~ error[divergent-subgroup-operation]: `threadIdx.x`
}

__global__ void shifted_warps(int n, int *out) {
  __shared__ typename Reduce::TempStorage t[4];
  auto i = grid::global_thread_id(threadIdx.x + 1, blockIdx.x, blockDim.x);
  if (i / warp_size >= n)
    return;
  out[i] = Reduce(t[threadIdx.x / 32]).Sum(out[i]);  //~ error[divergent-subgroup-operation]: `threadIdx.x`
}
