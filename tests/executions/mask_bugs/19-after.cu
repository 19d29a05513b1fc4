// NVIDIA/cub, c65c6bd5, cub/util_ptx.cuh:287, 299, 312, 329 (WARP_MASK() returns 0xffffffff) (state after the fix)
template <int W> __device__ int warp_sum(int v) {
  unsigned member_mask = (0xFFFFFFFFu >> (32 - W)) << ((threadIdx.x % 32) / W * W);
  for (int offset = 1; offset < W; offset *= 2) v += __shfl_down_sync(member_mask, v, offset, W);
  return v;
}
__global__ void segments(const int *in, int *out, const int *length) {
  int seg = threadIdx.x / 8, lane = threadIdx.x % 8, total = 0;
  for (int i = 0; i < length[seg]; i += 8) total += warp_sum<8>(in[seg * 64 + i + lane]);
  if (lane == 0) out[seg] = total;
}
