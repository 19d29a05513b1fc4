// flashinfer-ai/flashinfer, 842d35c2e, include/flashinfer/comm/trtllm_allreduce_fusion.cuh:401, 438 (mask defined at 393) (state after the fix)
__device__ float warpReduceSum(float v) {
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m, 32);
  return v;
}
__device__ float warpReduceSumPartial(float v, int lanes) {
  int lane = threadIdx.x & 31;
  unsigned mask = (1U << lanes) - 1;
  for (int m = 16; m > 0; m >>= 1) {
    float other = __shfl_xor_sync(mask, v, m, 32);
    if ((lane ^ m) < lanes) v += other;
  }
  return v;
}
__global__ void blockReduceSum(const float *in, float *out) {
  __shared__ float shared[33];
  int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  int warps = (blockDim.x + 31) / 32, tail = blockDim.x & 31;
  float v = in[threadIdx.x];
  v = (tail != 0 && wid == warps - 1) ? warpReduceSumPartial(v, tail) : warpReduceSum(v);
  if (lane == 0) shared[wid] = v;
  __syncthreads();
  float s = threadIdx.x < warps ? shared[lane] : 0.0f;
  if (wid == 0) s = warpReduceSum(s);
  if (threadIdx.x == 0) out[0] = s;
}
