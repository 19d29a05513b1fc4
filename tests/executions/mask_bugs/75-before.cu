// NVIDIA/cuCollections, b1e2cd95, include/cuco/detail/static_multimap_kernels.cuh:380, 532 (state before the fix)
namespace cg = cooperative_groups;
__device__ void retrieve(const cg::thread_block_tile<32> &warp, int key, int *counter, int *out) {
  unsigned hit = warp.ballot(key % 3 == 0);
  if (key % 3 == 0) out[__popc(hit)] = key;
  warp.sync();
}
__global__ void vectorized_retrieve(const int *keys, int *out, int *counter, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  while (warp.any(idx < n)) {
    int key = keys[idx];
    retrieve(warp, key, counter, out); // BUG: group-sync-outside-group
    idx += gridDim.x * blockDim.x;
  }
}
