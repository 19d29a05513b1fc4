// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// acts e8dced25: the number of rounds is read while the first thread may still write it: as it was.

__device__ void order(int *p, int j) {
  if (p[j + 1] < p[j]) {
    int old = p[j];
    p[j] = p[j + 1];
    p[j + 1] = old;
  }
}

__global__ void search_triplet(const int *__restrict__ in, int *out, int n, int limit) {
  extern __shared__ int triplets[];
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  if (threadIdx.x < n && in[threadIdx.x] > 0)
    triplets[atomicAdd(&count, 1)] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0 && count > limit)
    count = limit;
  int j = threadIdx.x;
  for (int i = 0; i < count / 2 + 1; i++) { //~ warning[implicit-warp-synchronous]: `count`
    if (j < count && j % 2 == 0)
      order(triplets, j);
    __syncthreads(); //~ warning[divergent-barrier]
    if (j < count && j % 2 == 1)
      order(triplets, j);
    __syncthreads(); //~ warning[divergent-barrier]
  }
  out[threadIdx.x] = triplets[threadIdx.x];
}
