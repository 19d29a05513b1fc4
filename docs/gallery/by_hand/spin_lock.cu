// Add up weights under a lock, because older devices had no atomic addition of `double`.
__global__ void accumulate(int *lock, double *sum, const double *weight) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *sum += weight[i];
      __threadfence();
      atomicExch(lock, 0);  // inside the loop, so no thread waits for its own warp
      done = true;
    }
  }
}
