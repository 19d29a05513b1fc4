// rapidsai/cudf, c8400b6a7ef, cpp/src/io/parquet/page_delta_decode.cu:82 (stores), read some lines later (state after the fix)
__global__ void string_scan(const int *len, int *out) {
  __shared__ int prefix_lens[32];
  int lane_id = threadIdx.x;
  int prefix_len = len[lane_id];
  if (__all_sync(0xffffffff, prefix_len == 0)) return;
  prefix_lens[lane_id] = prefix_len;
  __syncwarp();
  int blocker = lane_id - 1;
  while (blocker > 0 && prefix_lens[blocker] != 0 && prefix_len <= prefix_lens[blocker]) blocker--;
  out[lane_id] = blocker;
}
