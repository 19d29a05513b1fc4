// NVIDIA/AMGX, 8bb693b, src/classical/interpolators/distance2.cu:838, 1001, 1165, 1348 (also include/hash_containers_sm70.inl:105, 674) (state after the fix)
__global__ void c_hat_size(const int *cols, const bool *strong, int *out, int n) {
  __shared__ int s_b_row_ids[256];
  int lane_id = threadIdx.x % 32, warp_id = threadIdx.x / 32;
  bool is_strong = lane_id < n && strong[lane_id];
  unsigned vote = __ballot_sync(0xffffffff, is_strong);
  int dest = __popc(vote & ((1u << lane_id) - 1));
  if (is_strong) s_b_row_ids[warp_id * 32 + dest] = cols[lane_id];
  __syncwarp();
  int num_rows = __popc(vote);
  for (int k = 0; k < num_rows; ++k) out[lane_id] += s_b_row_ids[warp_id * 32 + k];
}
