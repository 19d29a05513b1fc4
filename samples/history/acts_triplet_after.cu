// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// acts 42de9a7a: a barrier in the tail of a loop over tiles, and barriers of a sort, under conditions on the thread: as it was mended.

__global__ void search_triplet(const int *__restrict__ n, const float *__restrict__ curvature, int *out, int limit) {
  extern __shared__ int triplets[];
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  for (int offset = 0; offset < *n; offset += blockDim.x) {
    bool passed = true;
    if (threadIdx.x + offset < *n)
      passed = curvature[threadIdx.x + offset] < 1.f;
    __syncthreads();
    if (threadIdx.x + offset < *n) {
      if (passed) {
        int at = atomicAdd(&count, 1);
        if (at < limit)
          triplets[at] = threadIdx.x + offset;
      }
    }
  }
  __syncthreads();
  int j = threadIdx.x;
  for (int i = 0; i < count / 2 + 1; i++) {
    if (threadIdx.x < count) {
      if (j % 2 == 0 && j < count - 1)
        order(triplets, j);
    }
    __syncthreads();
    if (threadIdx.x < count) {
      if (j % 2 == 1 && j < count - 1)
        order(triplets, j);
    }
    __syncthreads();
  }
  __syncthreads();
  out[threadIdx.x] = triplets[threadIdx.x];
}
