// kaldi bc13196e: threads behind the end return in front of barriers, here and in a helper: as it was mended.

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

__global__ static void pvec_sum(const float *v, float *g, int dim, int size) {
  int start = size * (blockIdx.x * blockDim.x + threadIdx.x);
  int end = start + size > dim ? dim : start + size;
  __shared__ float row[256];
  float sum = 0;
  for (int j = start; j < end; j++)
    sum += v[j];
  row[threadIdx.x] = sum;
  __syncthreads();
  g[blockIdx.x] = sum_reduce(row);
}
