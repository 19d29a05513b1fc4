// cuCollections 11c9b216: block.sync() for the staged write is inside the bounds check; the loop itself is uniform: as it is.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void find(const int *keys, int *out, long n) {
  auto const block = cg::this_thread_block();
  __shared__ int buf[128];
  auto const rank = block.thread_rank();
  long idx = (long)blockIdx.x * blockDim.x + threadIdx.x;
  while (idx - rank < n) {   // the whole block: idx - rank is the block's first index
    if (idx < n) buf[rank] = keys[idx] * 7;
    block.sync();
    if (idx < n) out[idx] = buf[rank];
    idx += (long)gridDim.x * blockDim.x;
  }
}
