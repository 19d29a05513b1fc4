// cupy/cupy, 9ddbc776b, cupyx/scipy/sparse/_compressed.py:564, 574 (kernel text in a Python string) (state after the fix)
__global__ void row_kept_count(const int *cnt, int *out, int n) {
  int local = 0;
  for (int p = threadIdx.x; p < n; p += blockDim.x) local += cnt[p];
  for (int offs = warpSize / 2; offs > 0; offs >>= 1) local += __shfl_down_sync(__activemask(), local, offs, warpSize);
  __shared__ int s[32];
  if ((threadIdx.x & (warpSize - 1)) == 0) s[threadIdx.x / warpSize] = local;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < blockDim.x / warpSize; w++) sum += s[w];
    out[blockIdx.x] = sum;
  }
}
