// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// acts 42de9a7a: a barrier in the tail of a loop over tiles, and barriers of a sort, under conditions on the thread: as it was.

__global__ void search_triplet(const int *__restrict__ n, const float *__restrict__ curvature, int *out, int limit) {
  extern __shared__ int triplets[];
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  for (int offset = 0; offset < *n; offset += blockDim.x) {
    if (threadIdx.x + offset < *n) {
      bool passed = curvature[threadIdx.x + offset] < 1.f;
      __syncthreads(); //~ error[divergent-barrier]
      if (passed) {
        int at = atomicAdd(&count, 1);
        if (at < limit)
          triplets[at] = threadIdx.x + offset;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x < count) {
    for (int i = 0; i < count / 2 + 1; i++) {
      int j = threadIdx.x;
      if (j % 2 == 0 && j < count - 1)
        order(triplets, j);
      __syncthreads(); //~ error[divergent-barrier]
      if (j % 2 == 1 && j < count - 1)
        order(triplets, j);
      __syncthreads(); //~ error[divergent-barrier]
    }
  }
  __syncthreads();
  out[threadIdx.x] = triplets[threadIdx.x];
}
