// Blocks of one cluster: which those are the source does not say. They are taken to agree on numbers of blocks, and to differ in their ranks.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void tiles(int *out, int n) {
  for (int tile = blockIdx.y; tile < n; tile += gridDim.y) {
    out[tile] = 1;
    cg::this_cluster().sync();
  }
}

__global__ void ranks(int *out) {
  auto cluster = cg::this_cluster();
  if (cluster.block_rank() == 0)
    cluster.sync();  //~ error[divergent-barrier]: `cluster.block_rank()`
}

__global__ void threads(int *out) {
  if (threadIdx.x == 0)
    cg::this_cluster().sync();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void whole_grid(int *out) {
  auto grid = cg::this_grid();
  if (blockIdx.x == 0)
    grid.sync();  //~ error[divergent-grid-sync]: `blockIdx.x`
}
