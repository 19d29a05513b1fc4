// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// cuml d1e85e81: a barrier in a loop with a stride of the grid, of which some threads take a round more: as it was.

__global__ void min_max(const float *__restrict__ data, const int *__restrict__ rows, int nrows, int ncols, float *global_min) {
  extern __shared__ float shared_min[];
  const int tid = threadIdx.x + blockIdx.x * blockDim.x;
  for (int i = threadIdx.x; i < ncols; i += blockDim.x)
    shared_min[i] = global_min[i];
  __syncthreads();
  for (unsigned i = tid; i < nrows * ncols; i += blockDim.x * gridDim.x) {
    int column = i / nrows;
    atomic_min(&shared_min[column], data[rows[i % nrows] + column * nrows]);
    __syncthreads(); //~ error[divergent-barrier]
    if (threadIdx.x < ncols)
      atomic_min(&global_min[threadIdx.x], shared_min[threadIdx.x]);
  }
}
