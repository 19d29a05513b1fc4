// kaldi-asr/kaldi, f584420d8, src/cudamatrix/cu-kernels.cu:968, 1355 and more (state after the fix)
__global__ void trace_mat_mat(const float *a, float *value) {
  __shared__ float sum[64];
  int tid = threadIdx.x;
  sum[tid] = a[tid];
  __syncthreads();
  if (tid < warpSize) {
    for (int shift = warpSize; shift > 0; shift >>= 1) {
      sum[tid] += sum[tid + shift];
      __syncwarp();
    }
  }
  if (tid == 0) value[blockIdx.x] = sum[0];
}
