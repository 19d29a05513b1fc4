// deepseek-ai/DeepEP, dd133d3, csrc/kernels/internode.cu:569-572, 636 (state after the fix)
__global__ void dispatch(volatile int *next_token, int *tail, int token) {
  int lane_id = threadIdx.x;
  while (lane_id == 0 && *next_token != token);
  __syncwarp();
  tail[lane_id] = token + 1;
  __syncwarp();
  if (lane_id == 0) *next_token = token + 1;
}
