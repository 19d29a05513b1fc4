// pytorch/FBGEMM, 2e1b6f46b, fbgemm_gpu/experimental/gen_ai/src/quantize/fast_gemv/include/fast_gemv.cuh:199 (state before the fix)
__global__ void gemv(const float *in, float *res) {
  __shared__ float warpLevelSums[32];
  int tid = threadIdx.x;
  float sum = in[tid];
  if (blockDim.x <= 32) {
    if (tid == 0) {
      res[0] = sum;
      return;
    }
  }
  __syncthreads(); // BUG: other
  if (tid < 32) warpLevelSums[tid] = sum;
  __syncthreads();
  if (tid == 0) res[0] = warpLevelSums[0];
}
