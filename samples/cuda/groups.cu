// Cooperative groups: a group is a value, and its operations concern its threads.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void block_of_all(int *p) {
  cg::thread_block block = cg::this_thread_block();
  p[block.thread_rank()] = 1;
  block.sync();
  cg::sync(block);
}

__global__ void block_of_some(int *p, int n) {
  auto block = cg::this_thread_block();
  if (block.thread_rank() < n) {
    p[threadIdx.x] = 1;
    block.sync(); //~ error[divergent-barrier]: `cooperative_groups::thread_block::sync`
  }
}

__global__ void by_function(int *p, int n) {
  cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x < n)
    cg::sync(block); //~ error[divergent-barrier]
  p[0] = n;
}

// A tile is a part of a warp: its threads come, or they do not, and no other is asked.
__global__ void tile(int *p) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int v = p[threadIdx.x];
  for (int i = warp.size() / 2; i > 0; i /= 2)
    v += warp.shfl_down(v, i);
  if (warp.thread_rank() == 0)
    p[threadIdx.x / 32] = v;
  block.sync();
}

// A grid waits for each of its threads, also for those who left.
__global__ void grid(int *p, int n) {
  cg::grid_group g = cg::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] = n;
  g.sync(); //~ error[divergent-grid-sync]
}

// An object of a library that has no name.
__global__ void without_a_name(int *p, int n) {
  __shared__ typename cub::BlockReduce<int, 128>::TempStorage t;
  if (threadIdx.x < n)
    p[0] = cub::BlockReduce<int, 128>(t).Sum(1); //~ error[divergent-barrier]
}

// A tile names its threads: who leaves the loop with them takes no part.
__device__ int first_of(cg::thread_block_tile<8> group, const int *p, int n) {
  for (int first = 0; first < n; first += group.size()) {
    const int i = first + group.thread_rank();
    const unsigned found = group.ballot(i < n && p[i] == 0);
    if (found) {
      const int at = group.shfl(i, __ffs(found) - 1);
      group.sync();
      return at;
    }
  }
  return -1;
}

// The fields of the vectors that a block gives are those of the variables of the language.
__global__ void vectors_of_a_block(int *p, int n) {
  cg::thread_block block = cg::this_thread_block();
  if (block.group_index().x < n)
    block.sync();
  if (block.thread_index().x < block.group_dim().x)
    block.sync();
  if (block.thread_index().x < n)
    block.sync(); //~ error[divergent-barrier]: `cooperative_groups::thread_block::sync`
}

// The number of a tile in its block is the same for its threads only.
__global__ void number_of_a_tile(int *p) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  int v = p[threadIdx.x];
  if (tile.meta_group_rank() == 0)
    v += tile.shfl_xor(v, 1);
  if (tile.num_threads() == 16 && threadIdx.x < 3)
    block.sync();
  if (tile.meta_group_rank() == 0)
    block.sync(); //~ error[divergent-barrier]
  p[threadIdx.x] = v;
}

// The type of the value is unknown, the threads of the tile are known.
template <class T>
__global__ void tile_in_a_template(T *p) {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  T v = p[threadIdx.x];
  if (threadIdx.x & 1)
    v += tile.shfl_down(v, 1); //~ error[group-sync-outside-group]: not all lanes of the group reach
  p[threadIdx.x] = v;
}
