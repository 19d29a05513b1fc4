// Add up weights under a lock, because older devices had no atomic addition of `double`.
__global__ void accumulate(int *lock, double *sum, const double *weight) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  while (atomicCAS(lock, 0, 1) != 0)
    ;
  *sum += weight[i];
  __threadfence();
  atomicExch(lock, 0);
}
