// ginkgo-project/ginkgo, 810b196cd1, cuda/components/diagonal_block_manipulation.cuh:85 to 97, 102 (state before the fix)
namespace cg = cooperative_groups;
__global__ void extract_blocks(const int *row_ptrs, const int *cols, const float *values, float *out, int bsize) {
  __shared__ float workspace[32];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int tid = warp.thread_rank();
  for (int row = 0; row < bsize; ++row) {
    if (tid < bsize) workspace[tid] = 0;
    for (int j = row_ptrs[row] + tid; j < row_ptrs[row + 1]; j += 32)
      if (cols[j] < bsize) workspace[cols[j]] = values[j]; // BUG: implicit-warp-synchronous
    warp.sync();
    if (tid < bsize) out[row * bsize + tid] = workspace[tid];
  }
}
