// kaldi-asr/kaldi, f8021d765, src/cudamatrix/cu-kernels.cu:1769, 1771 (function _group_transform_reduce; the barriers came in with 4cfbd217a, number 46) (state after the fix)
__global__ void group_transform_reduce(float *y, const float *x, int cols, int group_size) {
  __shared__ volatile float s[256];
  int tid = threadIdx.y * blockDim.x + threadIdx.x;
  int group_id = threadIdx.y;
  while (group_id < cols) {
    s[tid] = x[group_id * group_size + threadIdx.x];
    int size = blockDim.x / 2 < warpSize ? blockDim.x / 2 : warpSize;
    if (threadIdx.x < size) {
      for (int shift = size; shift > 0; shift >>= 1) {
        s[tid] += s[tid + shift];
      }
    }
    if (threadIdx.x == 0) y[group_id] = s[tid];
    group_id += blockDim.y;
  }
}
