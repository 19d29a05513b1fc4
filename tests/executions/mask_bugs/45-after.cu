// kaldi-asr/kaldi, bcfe3f8c5, src/cudamatrix/cu-kernels.cu:2506-2515, 2743-2751 (state after the fix)
__global__ void softmax_max(const float *x, float *y) {
  __shared__ float smem[256];
  int tid = threadIdx.x;
  smem[tid] = x[tid];
  __syncthreads();
  for (int shift = 128; shift > 0; shift >>= 1) {
    if (tid < shift) smem[tid] = fmaxf(smem[tid], smem[tid + shift]);
    __syncthreads();
  }
  y[tid] = x[tid] - smem[0];
}
