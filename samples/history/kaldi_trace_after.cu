// kaldi bc13196e: Early return in front of a tree reduction: as it is.

__global__ void diag(double *v, const double *M, int dim, int cols, int per) {
  __shared__ double temp[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / per, sub = i % per;
  if (row < dim) {
    double sum = 0;
    for (int j = sub; j < cols; j += per) sum += M[row * cols + j];
    temp[threadIdx.x] = sum;
  }
  __syncthreads();
  for (int n = per; n > 1; n = (n + 1) >> 1) {
    int half = (n + 1) >> 1;
    if (sub < half && sub + half < n) temp[threadIdx.x] += temp[threadIdx.x + half];
    __syncthreads();
  }
  if (sub == 0 && row < dim) v[row] = temp[threadIdx.x];
}
