// cuCollections 11c9b216: a sync of the block under a condition on the index of the thread: as it was.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ inline long global_thread_id() { return (long)blockDim.x * blockIdx.x + threadIdx.x; }
__device__ inline long grid_stride() { return (long)gridDim.x * blockDim.x; }

template <int CGSize, int BlockSize, typename Ref> __global__ void find(const int *first, long n, int *out, Ref ref) {
  // No execution shows it: no launch gives the template arguments.
  auto const block = cg::this_thread_block();
  auto const thread_idx = block.thread_rank();
  auto const loop_stride = grid_stride() / CGSize;
  auto idx = global_thread_id() / CGSize;
  __shared__ int buffer[BlockSize / CGSize];
  while (idx - thread_idx < n) {
    if (idx < n) {
      if constexpr (CGSize == 1) {
        buffer[thread_idx] = ref.find(first[idx]);
        block.sync(); //~ error[divergent-barrier]
        out[idx] = buffer[thread_idx];
      } else {
        auto const tile = cg::tiled_partition<CGSize>(block);
        auto const found = ref.find(tile, first[idx]);
        if (tile.thread_rank() == 0)
          out[idx] = found;
      }
    }
    idx += loop_stride;
  }
}
