// The number of the warp is the same in the warp, however it is computed: the size of a block in its first dimension is a multiple of 32.
#include <mma.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> Fragment;

__global__ void of_block(const half *a, int m) {
  Fragment f;
  int w = threadIdx.x / warpSize;
  if (w < m)
    wmma::load_matrix_sync(f, a + w * 16, 16);
}
__global__ void of_grid(const half *a, int m) {
  Fragment f;
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  if (w < m)
    wmma::load_matrix_sync(f, a + w * 16, 16);
  w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (w < m)
    wmma::load_matrix_sync(f, a + w * 16, 16);
}
__global__ void of_half(const half *a, int m) {
  Fragment f;
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  if (w < m)
    wmma::load_matrix_sync(f, a + 16, 16); //~ error[divergent-subgroup-operation]
}

const unsigned WAVE = 32;
__global__ void of_constant(const half *a, int m) {
  Fragment f;
  unsigned w = threadIdx.x / WAVE;
  if (w < m)
    wmma::load_matrix_sync(f, a + w * 16, 16);
}

// A row of a block consists of whole warps, so `threadIdx.y` is the same in a warp. So is its multiple by any width.
template <unsigned WIDTH> __global__ void rows_by_width(const half *a) {
  Fragment f;
  wmma::load_matrix_sync(f, a + threadIdx.y * WIDTH, 16);
}
template <unsigned WIDTH> __global__ void columns_by_width(const half *a) {
  Fragment f;
  wmma::load_matrix_sync(f, a + threadIdx.x * WIDTH, 16); //~ error[divergent-collective-argument]: `threadIdx.x`
}
