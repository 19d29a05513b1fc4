// cuml f62390ad: Each thread asks a global counter that other blocks move; the answer chooses between two paths with barriers: as it was.

__global__ void split(volatile int *n_leaves, int max_leaves, float *out) {
  __shared__ float s[128];
  bool leaf = *n_leaves >= max_leaves;
  if (leaf) {
    s[threadIdx.x] = 1;
    __syncthreads();  //~ warning[mismatched-barriers]
    if (threadIdx.x == 0) out[blockIdx.x] = s[5];
    return;
  }
  if (threadIdx.x == 0) atomicAdd((int *)n_leaves, 1);
  s[threadIdx.x] = 2;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = s[7];
}
