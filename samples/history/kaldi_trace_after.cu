// kaldi dacdfcfe: a reduction, in a helper that waits, for the threads that have a column only: as it was mended.

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
  int i = threadIdx.x, size = (rows * cols + 255) / 256;
  int end = (i + 1) * size < rows * cols ? (i + 1) * size : rows * cols;
  float sum = 0;
  for (int j = i * size; j < end; j++)
    sum += A[j % cols + j / cols * stride] * B[j / cols + j % cols * stride];
  __shared__ float row[256];
  row[i] = sum;
  __syncthreads();
  *value = sum_reduce(row);
}
