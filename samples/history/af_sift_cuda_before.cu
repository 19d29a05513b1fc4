// arrayfire ee4d0bd7: barriers, one of them in a helper, under a condition on the thread: as it was.

__device__ void normalize(float *desc, float *accum, int len) {
  for (int i = threadIdx.x; i < len; i += blockDim.x)
    accum[i] = desc[threadIdx.y * len + i] * desc[threadIdx.y * len + i];
  __syncthreads();
}

__global__ void compute_descriptor(float *out, unsigned total_feat, int len) {
  extern __shared__ float smem[];
  const unsigned f = blockIdx.y * blockDim.y + threadIdx.y;
  float *desc = smem, *accum = smem + len * blockDim.y;
  if (f < total_feat) {
    for (int i = threadIdx.x; i < len; i += blockDim.x)
      desc[threadIdx.y * len + i] = out[f * len + i];
    __syncthreads(); //~ error[divergent-barrier]
    normalize(desc, accum, len); //~ error[divergent-barrier]
    for (int i = threadIdx.x; i < len; i += blockDim.x)
      out[f * len + i] = desc[threadIdx.y * len + i];
  }
}
