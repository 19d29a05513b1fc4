// An unknown function may return a number that contains the index of the thread. So an index that is subtracted from its
// result may cancel.

__device__ int first_index();

__global__ void of_an_unknown_number(int n) {
  for (int i = first_index(); i - int(threadIdx.x) < n; i += 64)
    __syncthreads();  //~ note[possible-divergence]: `first_index()`
}

// This is such a number: all threads of a block take the same number of iterations.
__global__ void of_a_known_number(int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - int(threadIdx.x) < n; i += 64)
    __syncthreads();
}

// Arithmetic on an unknown number is unknown, too.
__global__ void of_a_sum(int n) {
  int i = 2 * first_index() + n;
  if (i - int(threadIdx.x) < n)
    __syncthreads();  //~ note[possible-divergence]: `first_index()`
}

// An argument is the same for all threads.
__global__ void of_an_argument(int n) {
  if (n - int(threadIdx.x) < 5)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

// Nothing is subtracted from the unknown number.
__global__ void compared(int n) {
  if (int(threadIdx.x) < first_index())
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

// These indices cancel, and the rest is the same for all threads.
__global__ void cancelled(int n) {
  int i = 3 * n + int(threadIdx.x);
  if (i - int(threadIdx.x) < 5)
    __syncthreads();
}
