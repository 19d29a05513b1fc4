// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// arrayfire faefa30c: block sums, in a helper that waits, under a condition on the thread: as it was.

__device__ float block_sum(float v) {
  __shared__ float data[THREADS];
  unsigned tid = threadIdx.y * blockDim.x + threadIdx.x;
  data[tid] = v;
  __syncthreads();
  for (unsigned i = blockDim.y / 2; i > 0; i >>= 1) {
    if (threadIdx.y < i)
      data[tid] += data[tid + i * blockDim.x];
    __syncthreads();
  }
  return data[threadIdx.x];
}

__global__ void harris_response(float *score, const float *x_in, unsigned total_feat, unsigned r2, unsigned patch) {
  unsigned f = blockDim.x * blockIdx.x + threadIdx.x;
  if (f < total_feat) {
    unsigned x = (unsigned)round(x_in[f]);
    if (x < patch)
      return;
    float ixx = 0.f, iyy = 0.f;
    for (unsigned k = threadIdx.y; k < r2; k += blockDim.y) {
      ixx += gradient(x, k);
      iyy += gradient(k, x);
    }
    __syncthreads(); //~ error[divergent-barrier]
    ixx = block_sum(ixx); //~ error[divergent-barrier]
    iyy = block_sum(iyy); //~ error[divergent-barrier]
    if (threadIdx.y == 0)
      score[f] = ixx * iyy;
  }
}
