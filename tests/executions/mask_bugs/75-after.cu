// NVIDIA/cuCollections, b1e2cd95, include/cuco/detail/static_multimap_kernels.cuh:380, 532 (state after the fix)
namespace cg = cooperative_groups;
__device__ void retrieve(const cg::coalesced_group &warp, int key, int *counter, int *out) {
  unsigned hit = warp.ballot(key % 3 == 0);
  if (key % 3 == 0) out[__popc(hit)] = key;
  warp.sync();
}
__global__ void vectorized_retrieve(const int *keys, int *out, int *counter, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  while (warp.any(idx < n)) {
    bool active_flag = idx < n;
    auto active_warp = cg::binary_partition<32>(warp, active_flag);
    if (active_flag) retrieve(active_warp, keys[idx], counter, out);
    idx += gridDim.x * blockDim.x;
  }
}
