// All threads of a group reach its operations.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void whole_tiles(int *p) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v = tile.shfl_xor(v, 1);
  if (threadIdx.x / 8 % 2 == 1)
    v += tile.shfl_xor(v, 2);
  p[threadIdx.x] = v;
}

__global__ void all_threads(int *p) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = tile.shfl_down(p[threadIdx.x], 16);
  if (tile.thread_rank() == 0)
    p[threadIdx.x] = v;
  tile.sync();
}

__global__ void early_return(int *p, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] = tile.any(p[i] > 0);
}

__global__ void both_sides(int *p) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = p[threadIdx.x];
  if (v > 0)
    v = tile.shfl(v, 0);
  else
    v = tile.shfl(-v, 0);
  p[threadIdx.x] = v;
}

__global__ void group_of_the_branch(int *p) {
  int v = p[threadIdx.x];
  if (v > 0) {
    auto group = cg::coalesced_threads();
    v = group.shfl(v, 0);
    group.sync();
  }
  p[threadIdx.x] = v;
}

__global__ void by_warp(int *p, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int k = threadIdx.x / 32; k < n; k += blockDim.x / 32) {
    p[k * 32 + threadIdx.x % 32] = k;
    warp.sync();
  }
}

__global__ void of_the_block(int *p) {
  auto block = cg::this_thread_block();
  p[threadIdx.x] = 0;
  block.sync();
}

__global__ void vote_of_the_tile(int *p) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = p[threadIdx.x];
  while (tile.any(v > 0)) {
    v -= tile.size();
    tile.sync();
  }
  p[threadIdx.x] = v;
}

__global__ void number_of_the_tile(int *p) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = p[threadIdx.x];
  if (tile.meta_group_rank() == 1)
    v += tile.shfl_xor(v, 1);
  p[threadIdx.x] = v;
}

template <int size> __global__ void tiles_of_any_size(int *p, int n) {
  auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  for (int k = threadIdx.x / size; k < n; k += blockDim.x / size)
    p[k * size + threadIdx.x % size] = tile.shfl_xor(k, 1);
}

__global__ void single_threads(int *p) {
  auto tile = cg::tiled_partition<1>(cg::this_thread_block());
  if (p[threadIdx.x] > 0)
    tile.sync();
}
