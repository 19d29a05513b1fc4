// facebookresearch/faiss, 09c7aaceb, faiss/gpu/impl/L2Norm.cu:74, 134, 157 (state after the fix)
__device__ float warpReduceAllSum(float v) {
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask);
  return v;
}
__global__ void l2Norm(const float *in, float *out, int dim) {
  __shared__ float smem[32];
  float norm = 0;
  for (int col = threadIdx.x; col < dim; col += blockDim.x) {
    float val = in[blockIdx.x * dim + col];
    norm += val * val;
  }
  norm = warpReduceAllSum(norm);
  if (threadIdx.x % 32 == 0) smem[threadIdx.x / 32] = norm;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int w = 0; w < (blockDim.x + 31) / 32; ++w) sum += smem[w];
    out[blockIdx.x] = sum;
  }
}
void run(const float *in, float *out, int rows, int dim) {
  l2Norm<<<rows, dim < 1024 ? (dim + 31) / 32 * 32 : 1024>>>(in, out, dim);
}
