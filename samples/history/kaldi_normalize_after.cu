// kaldi e732348c: a tree of sums, whose barrier only the half that takes part reaches: as it was mended.

#define CU1DBLOCK 256
template <typename Real> __global__ static void normalize_per_row(Real *y, int stride, const Real *x, int cols) {
  const int tid = threadIdx.x;
  __shared__ Real ssum[CU1DBLOCK];
  Real sum = 0;
  for (int j = tid; j < cols; j += CU1DBLOCK)
    sum += x[blockIdx.x * stride + j] * x[blockIdx.x * stride + j];
  ssum[tid] = sum;
  __syncthreads();
  for (int shift = CU1DBLOCK / 2; shift > warpSize; shift >>= 1) {
    if (tid < shift)
      ssum[tid] += ssum[tid + shift];
    __syncthreads();
  }
  if (tid == 0)
    y[blockIdx.x] = ssum[0];
}
