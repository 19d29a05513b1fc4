// All threads of a tile or coalesced group execute its operations (docs/semantics.md §10).
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void half_of_a_tile(int *p) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = p[threadIdx.x];
  if (threadIdx.x % 8 < 4)
    v = tile.shfl(v, 0); //~ error[group-sync-outside-group]: do not reach
  p[threadIdx.x] = v;
}

__global__ void sync_in_a_branch(int *p) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (threadIdx.x % 32 == 0) {
    p[threadIdx.x] = 0;
    tile.sync(); //~ error[group-sync-outside-group]: lanes 1 to 31
  }
}

__global__ void one_tile_divided(int *p) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 12)
    v = tile.shfl_xor(v, 1); //~ error[group-sync-outside-group]: lanes 12 to 15 of the group
  p[threadIdx.x] = v;
}

__global__ void by_value(int *p) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = p[threadIdx.x];
  if (v > 0)
    v = tile.any(v > 3); //~ warning[group-sync-outside-group]: not all lanes of the group reach
  p[threadIdx.x] = v;
}

__global__ void trip_count(int *p, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = warp.ballot(p[i] > 0); //~ warning[group-sync-outside-group]: the trip count depends on
}

__global__ void by_rank(int *p) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = p[threadIdx.x];
  if (threadIdx.x & 1)
    v = tile.shfl_down(v, 2); //~ error[group-sync-outside-group]: not all lanes of the group reach
  else
    v = tile.shfl_up(v, 2); //~ error[group-sync-outside-group]: do not reach
  p[threadIdx.x] = v;
}

__global__ void operand(int *p) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = p[threadIdx.x];
  if (v > 0 || tile.all(v < -3)) //~ warning[group-sync-outside-group]: not all lanes of the group reach
    p[threadIdx.x] = 0;
}

__device__ int sum(cg::thread_block_tile<4> tile, int v) {
  v += tile.shfl_down(v, 2);
  return v + tile.shfl_down(v, 1);
}

__global__ void helper(int *p) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  int v = p[threadIdx.x];
  if (threadIdx.x % 4 != 3)
    v = sum(tile, v); //~ error[group-sync-outside-group]: this call of `sum`
  p[threadIdx.x] = v;
}

__global__ void after_a_continue(int *p, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  for (int k = 0; k < n; k++) {
    if (p[threadIdx.x] == k)
      continue;
    tile.sync(); //~ warning[group-sync-outside-group]: a `continue` depends on
  }
}

// Inside the loop, `i` is the same for all threads of an iteration. Threads of a tile leave it in different iterations.
__global__ void left_in_different_iterations(int *p) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = p[threadIdx.x], i = 0;
  while (i < (int)(threadIdx.x & 3))
    ++i;
  if (i < 2)
    v = tile.shfl(v, 0); //~ warning[group-sync-outside-group]
  p[threadIdx.x] = v;
}
