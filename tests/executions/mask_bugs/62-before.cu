// rapidsai/cudf, 1dcda437c2e, cpp/src/io/parquet/page_delta_decode.cu:158 (state before the fix)
__device__ void string_scan(const char *last, char *out, int lane) { out[lane] = last[0]; }
__global__ void decode_strings(char *out, int n) {
  __shared__ const char *last_string;
  int lane = threadIdx.x;
  if (lane == 0) last_string = out;
  __syncwarp();
  for (int idx = 0; idx < n; idx += 32) {
    string_scan(last_string, out + idx, lane); // BUG: implicit-warp-synchronous
    if (lane == 31) last_string = out + idx + lane;
    __syncwarp();
  }
}
