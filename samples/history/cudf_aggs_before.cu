// cudf 4b2ce987: The end of the column range is a __shared__ variable that thread 0 moves on by a reference: as it was.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ void next_range(int &from, int &to, int n) { from = to; to = min(to + 3, n); } //~ warning[implicit-warp-synchronous]: `to`
__global__ void aggregate(const int *in, int *out, int cols) {
  auto const block = cg::this_thread_block();
  __shared__ int from, to;
  if (block.thread_rank() == 0) { from = 0; to = 0; }
  block.sync();
  while (to < cols) {
    if (block.thread_rank() == 0) next_range(from, to, cols);
    block.sync();  //~ warning[divergent-barrier]
    for (int c = from; c < to; c++) atomicAdd(out + c, in[c * block.size() + block.thread_rank()]);
    block.sync();  //~ warning[divergent-barrier]
  }
}
