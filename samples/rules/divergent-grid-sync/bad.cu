// All threads of the grid must arrive at its sync (docs/semantics.md §10).
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void one_block(int *p) {
  auto grid = cg::this_grid();
  if (blockIdx.x == 0) {
    p[threadIdx.x] = 0;
    grid.sync(); //~ error[divergent-grid-sync]: `blockIdx.x`
  }
}

__global__ void one_thread(int *p) {
  auto grid = cg::this_grid();
  if (threadIdx.x == 0)
    grid.sync(); //~ error[divergent-grid-sync]: `threadIdx.x`
  p[grid.thread_rank()] = 1;
}

__global__ void early_return(int *p, int n) {
  auto grid = cg::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] = 0;
  grid.sync(); //~ error[divergent-grid-sync]
  p[n - 1 - i]++;
}

__global__ void steps_of_the_block(float *x, const int *rows) {
  auto grid = cg::this_grid();
  for (int i = 0; i < rows[blockIdx.x]; i++) {
    x[grid.thread_rank()] += i;
    grid.sync(); //~ error[divergent-grid-sync]: `blockIdx.x`
  }
}

__global__ void grid_stride(float *x, int n) {
  cg::grid_group grid = cg::this_grid();
  for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) {
    x[i] = 0;
    cg::sync(grid); //~ error[divergent-grid-sync]: the trip count depends on
  }
}

__device__ void all_wait(cg::grid_group grid, int *p) {
  p[grid.thread_rank()]++;
  grid.sync();
}

__global__ void in_a_function(int *p, int n) {
  if (blockIdx.x < n)
    all_wait(cg::this_grid(), p); //~ error[divergent-grid-sync]: `blockIdx.x`
}

__global__ void flag_of_the_block(int *p) {
  auto grid = cg::this_grid();
  __shared__ int more;
  if (threadIdx.x == 0)
    more = p[blockIdx.x];
  __syncthreads();
  if (more)
    grid.sync(); //~ warning[divergent-grid-sync]: `more`
}

__global__ void by_rank(int *p) {
  auto grid = cg::this_grid();
  if (grid.block_rank() % 2 == 0)
    grid.sync(); //~ error[divergent-grid-sync]: `grid.block_rank()`
  p[0] = 1;
}

__global__ void switched(int *p) {
  auto grid = cg::this_grid();
  switch (blockIdx.x % 2) {
  case 0:
    p[0] = 1;
    break;
  default:
    grid.sync(); //~ error[divergent-grid-sync]: `blockIdx.x`
  }
}
