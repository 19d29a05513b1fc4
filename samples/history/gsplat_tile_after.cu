// gsplat 4bb5de3c: The masked tile is left by the threads inside the image only: as it is.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void raster(const bool *masks, float *img, const float *g, int w, int h, int batches) {
  auto block = cg::this_thread_block();
  __shared__ float batch[256];
  int i = block.group_index().y * 16 + block.thread_index().y, j = block.group_index().x * 16 + block.thread_index().x;
  bool inside = i < h && j < w, done = !inside;
  int tile = block.group_index().y * gridDim.x + block.group_index().x;
  if (masks != nullptr && !masks[tile]) { if (inside) img[i * w + j] = 0; return; }
  for (int b = 0; b < batches; b++) {
    if (__syncthreads_count(done) >= 256) break;
    batch[block.thread_rank()] = g[b * 256 + block.thread_rank()];
    block.sync();
    if (!done) { img[i * w + j] += batch[b & 255]; done = img[i * w + j] > 1; }
  }
}
