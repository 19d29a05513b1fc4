// All threads of all blocks arrive.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void straight(int *p) {
  auto grid = cg::this_grid();
  p[grid.thread_rank()] = 0;
  grid.sync();
  p[grid.size() - 1 - grid.thread_rank()]++;
}

__global__ void argument(int *p, int n) {
  auto grid = cg::this_grid();
  if (n > 3)
    grid.sync();
  p[grid.thread_rank()] = n;
}

__global__ void steps_of_all(float *x, int n) {
  auto grid = cg::this_grid();
  for (int i = 0; i < n; i++) {
    x[grid.thread_rank()] += i;
    grid.sync();
  }
}

__global__ void guarded_work(float *x, int n) {
  auto grid = cg::this_grid();
  unsigned i = grid.thread_rank();
  if (i < n)
    x[i] = 0;
  grid.sync();
  if (i < n)
    x[i] += x[n - 1 - i];
}

__global__ void number_of_blocks(int *p) {
  auto grid = cg::this_grid();
  if (gridDim.x > 1)
    grid.sync();
  p[blockIdx.x] = 1;
}

__device__ void all_wait(cg::grid_group grid, int *p) {
  p[grid.thread_rank()]++;
  grid.sync();
}

__global__ void in_a_function(int *p, int n) {
  for (int i = 0; i < n; i++)
    all_wait(cg::this_grid(), p);
}

__global__ void same_data(const int *__restrict__ rounds, int *p) {
  auto grid = cg::this_grid();
  for (int i = 0; i < rounds[0]; i++) {
    p[grid.thread_rank()] = i;
    grid.sync();
  }
}

__global__ void same_trip_count(float *x, int n) {
  auto grid = cg::this_grid();
  for (unsigned first = 0; first < n; first += grid.size()) {
    unsigned i = first + grid.thread_rank();
    if (i < n)
      x[i] = 0;
    grid.sync();
  }
}

__global__ void switched(int *p, int mode) {
  auto grid = cg::this_grid();
  switch (mode) {
  case 0:
    p[0] = 1;
    break;
  default:
    grid.sync();
  }
}
