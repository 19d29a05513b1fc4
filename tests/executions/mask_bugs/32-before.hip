// cupy/cupy, 9ddbc776b, cupyx/scipy/sparse/_compressed.py:564, 574 (kernel text in a Python string) (state before the fix)
__global__ void row_kept_count(const int *cnt, int *out, int n) {
  int local = 0;
  for (int p = threadIdx.x; p < n; p += blockDim.x) local += cnt[p];
  for (int offs = 16; offs; offs >>= 1) local += __shfl_down_sync(0xffffffff, local, offs); // BUG: wave-width
  __shared__ int s[32];
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = local;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < (blockDim.x >> 5); w++) sum += s[w];
    out[blockIdx.x] = sum;
  }
}
