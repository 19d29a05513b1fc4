// flashinfer-ai/flashinfer, 842d35c2e, include/flashinfer/comm/trtllm_allreduce_fusion.cuh:401, 438 (mask defined at 393) (state before the fix)
__device__ float warpReduceSum(float v) {
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m, 32); // BUG: shuffle-from-inactive-lane
  return v;
}
__global__ void blockReduceSum(const float *in, float *out) {
  __shared__ float shared[33];
  int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  float v = warpReduceSum(in[threadIdx.x]);
  if (lane == 0) shared[wid] = v;
  __syncthreads();
  float s = threadIdx.x < (blockDim.x >> 5) ? shared[lane] : 0.0f;
  if (wid == 0) s = warpReduceSum(s);
  if (threadIdx.x == 0) out[0] = s;
}
