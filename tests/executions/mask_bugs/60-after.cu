// rapidsai/cudf, 2cb8f3da3a3, cpp/src/io/parquet/delta_binary.cuh:222 (also page_decode.cuh:555) (state after the fix)
__global__ void decode(int *state, int *out, int value_count) {
  __shared__ int current;
  int lane_id = threadIdx.x;
  if (lane_id == 0) current = state[0];
  __syncwarp();
  if (current >= value_count) return;
  if (current == 0) {
    __syncwarp();
    if (lane_id == 0) current++;
    __syncwarp();
    if (current >= value_count) return;
  }
  out[lane_id] = current;
}
