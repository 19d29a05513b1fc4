// NVIDIA/cub, edee0bce, cub/warp/specializations/warp_scan_shfl.cuh:395 (first_lane is 0: line 487) (state after the fix)
template <int W> __device__ int inclusive_scan(int v) {
  unsigned lane = threadIdx.x % 32;
  unsigned mask = (0xffffffffu >> (32 - W)) << (lane / W * W);
  for (int o = 1; o < W; o *= 2) {
    int t = __shfl_up_sync(mask, v, o, W);
    if (lane % W >= o) v += t;
  }
  return v;
}
__global__ void scan(int *data) {
  data[threadIdx.x] = inclusive_scan<8>(data[threadIdx.x]);
}
