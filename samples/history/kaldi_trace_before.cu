// kaldi dacdfcfe: a reduction, in a helper that waits, for the threads that have a column only: as it was.

__device__ static float sum_reduce(float buffer[]) {
  int total = blockDim.x;
  __syncthreads();
  while (total > 1) {
    int half = (1 + total) >> 1;
    if (threadIdx.x < half)
      buffer[threadIdx.x] += threadIdx.x + half < total ? buffer[threadIdx.x + half] : 0;
    __syncthreads();
    total = half;
  }
  return buffer[0];
}

__global__ static void trace(const float *A, const float *B, int rows, int cols, int stride, float *value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < cols) {
    float sum = 0;
    for (int j = 0; j < rows; j++)
      sum += A[i + j * stride] * B[j + i * stride];
    __shared__ float row[256];
    row[i] = sum;
    __syncthreads(); //~ error[divergent-barrier]
    *value = sum_reduce(row); //~ error[divergent-barrier]
  }
}
