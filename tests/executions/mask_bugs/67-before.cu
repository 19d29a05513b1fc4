// deepseek-ai/DeepEP, dd133d3, csrc/kernels/internode.cu:569-572, 636 (state before the fix)
__global__ void dispatch(volatile int *next_token, int *tail, int token) {
  int lane_id = threadIdx.x;
  while (lane_id == 0 && *next_token != token);
  __syncwarp();
  tail[lane_id] = token + 1;
  if (lane_id == 0) *next_token = token + 1; // BUG: implicit-warp-synchronous
}
