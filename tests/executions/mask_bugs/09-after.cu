// rapidsai/cudf, 819dc2a9d70, cpp/src/join/conditional_join_kernels.cuh:210, 246 (state after the fix)
__device__ void flush(unsigned mask, int lane, const int *cache, int *out, int count) {
  for (int i = lane; i < count; i += 32) out[i] = cache[i];
  __syncwarp(mask);
}
__global__ void conditional_join(const int *in, int *out, int n) {
  __shared__ int cache[4][128];
  __shared__ int current_idx[4];
  int warp_id = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) current_idx[warp_id] = 0;
  __syncwarp();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned activemask = __ballot_sync(0xffffffff, i < n);
  if (i < n) {
    cache[warp_id][atomicAdd(&current_idx[warp_id], 1)] = in[i];
    __syncwarp(activemask);
    bool do_flush = current_idx[warp_id] + 32 >= 128;
    unsigned flush_mask = __ballot_sync(activemask, do_flush);
    if (do_flush) {
      flush(flush_mask, lane, cache[warp_id], out, current_idx[warp_id]);
      if (lane == 0) current_idx[warp_id] = 0;
    }
    __syncwarp(activemask);
  }
}
