// args: -D __CUDA_ARCH__=600
// Before sm_70, all lanes in the mask must reach one call. Threads that have left the kernel do not count.

__global__ void both_sides(int *p) {
  // No execution shows it: executions are those of recent architectures.
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v = __shfl_xor_sync(0xffffffff, v, 1); //~ error[full-mask-in-divergent-flow]: lanes 16 to 31
  else
    v = __shfl_xor_sync(0xffffffff, v, 1); //~ error[full-mask-in-divergent-flow]: names lanes 0 to 15, which do not reach
  p[threadIdx.x] = v;
}

__global__ void early_return(int *p, int n) {
  if (threadIdx.x >= n)
    return;
  p[threadIdx.x] = __shfl_xor_sync(0xffffffff, p[threadIdx.x], 1);
}

__global__ void separate_masks(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v = __shfl_xor_sync(0xffff, v, 1);
  else
    v = __shfl_xor_sync(0xffff0000, v, 1);
  p[threadIdx.x] = v;
}
