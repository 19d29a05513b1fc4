// NVIDIA/cub, d622848f, cub/warp/specializations/warp_scan_shfl.cuh:106 (same in warp_reduce_shfl.cuh:131) (state after the fix)
template <int LOGICAL_WARP_THREADS>
struct WarpScanShfl {
  unsigned lane_id, member_mask;
  __device__ WarpScanShfl() {
    lane_id = threadIdx.x % 32;
    unsigned base = 0xffffffffu >> (32 - LOGICAL_WARP_THREADS);
    member_mask = base << ((lane_id / LOGICAL_WARP_THREADS) * LOGICAL_WARP_THREADS);
  }
  __device__ int InclusiveSum(int x) {
    for (int offset = 1; offset < LOGICAL_WARP_THREADS; offset *= 2) {
      int y = __shfl_up_sync(member_mask, x, offset, LOGICAL_WARP_THREADS);
      if (lane_id % LOGICAL_WARP_THREADS >= offset) x += y;
    }
    return x;
  }
};
__global__ void scan8(int *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = WarpScanShfl<8>().InclusiveSum(data[i]);
}
