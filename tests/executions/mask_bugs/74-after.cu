// pytorch/pytorch, PR #20182 (2019-05; mended form found in current copies), aten/src/ATen/native/cuda/SoftMax.cu:function blockReduce, about 333 (state after the fix)
__global__ void blockReduce(const float *in, float *out) {
  extern __shared__ float smem[];
  smem[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float warpVal = 0;
  unsigned mask = (((uint64_t)1) << (blockDim.x / 32)) - 1;
  if (threadIdx.x < 32) {
    int lane = threadIdx.x % 32;
    if (lane < blockDim.x / 32) {
      for (int i = 0; i < 32; ++i) warpVal += smem[lane * 32 + i];
      __syncwarp(mask);
      smem[lane] = warpVal;
    }
  }
  __syncthreads();
  out[threadIdx.x] = smem[threadIdx.x / 32];
}
