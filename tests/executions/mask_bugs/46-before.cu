// kaldi-asr/kaldi, 4cfbd217a, src/cudamatrix/cu-kernels.cu:1057-1065, 1100-1108, 1149 (state before the fix)
__global__ void trace_mat_mat(const float *a, float *value) {
  __shared__ float ssum[256];
  int tid = threadIdx.x;
  ssum[tid] = a[tid];
  __syncthreads();
  for (int shift = 128; shift > warpSize; shift >>= 1) {
    if (tid < shift) ssum[tid] += ssum[tid + shift];
    __syncthreads();
  }
  if (tid < warpSize) {
    for (int shift = warpSize; shift > 0; shift >>= 1) {
      ssum[tid] += ssum[tid + shift]; // BUG: implicit-warp-synchronous
    }
  }
  if (tid == 0) value[blockIdx.x] = ssum[0];
}
