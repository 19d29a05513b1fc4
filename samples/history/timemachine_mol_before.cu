// timemachine 7b72e67a: a loop with a stride of the grid, in which some threads take a round more, with barriers: as it was.

template <int THREADS> __device__ void block_sum(long *buffer, int tid) {
  for (int i = THREADS / 2; i > 0; i /= 2) {
    if (tid < i)
      buffer[tid] += buffer[tid + i];
    __syncthreads();
  }
}

template <int THREADS> __global__ void target_energies(int N, int rows, const float *__restrict__ coords, long *energies) {
  __shared__ long buffer[THREADS];
  int row = blockIdx.y;
  while (row < rows) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    buffer[threadIdx.x] = 0;
    while (j < N) {
      if (j != row)
        buffer[threadIdx.x] = coords[j] - coords[row];
      __syncthreads(); //~ error[divergent-barrier]
      block_sum<THREADS>(buffer, threadIdx.x); //~ error[divergent-barrier]
      if (threadIdx.x == 0)
        energies[row * gridDim.x + blockIdx.x] += buffer[0];
      __syncthreads(); //~ error[divergent-barrier]
      j += gridDim.x * blockDim.x;
      buffer[threadIdx.x] = 0;
    }
    row += gridDim.y * blockDim.y;
  }
}
