// args: -D __CUDA_ARCH__=600
// Before sm_70, a mask is not enough: its threads must reach one call together (docs/semantics.md §10). So operations
// with a mask have implementation-defined convergence like others, and the finding points at the mask.

__global__ void forward_goto(int *p) {
  int i = threadIdx.x, v = p[i];
  if (v < 0)
    goto on;
  v = -v;
on:
  v += __shfl_xor_sync(0xffffffff, v, 1); //~ warning[implementation-defined-convergence]: `__shfl_xor_sync` //~ origin: `__shfl_xor_sync`
  __syncwarp(); //~ warning[implementation-defined-convergence]: the mask of `__syncwarp` names the threads that take part; before sm_70, they must reach this call together
  __syncthreads(); //~ warning[implementation-defined-convergence]: `__syncthreads`
  asm volatile("bar.warp.sync 0xffffffff;"); //~ warning[implementation-defined-convergence]: the mask of `bar.warp.sync a`
  p[i] = v;
}

__global__ void fall_through(int *p) {
  int i = threadIdx.x, mode = p[i], v = 0;
  unsigned mask = __ballot_sync(0xffffffff, mode == 0 || mode == 1);
  switch (mode) {
  case 0:
    p[i] = 1;
  case 1:
    v = __ballot_sync(mask, p[i] > 0); //~ warning[implementation-defined-convergence]: `__ballot_sync` //~ origin: `__ballot_sync`
  }
  p[i] = v;
}

__device__ int sum(int v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}

__global__ void helper(int *p) {
  int i = threadIdx.x, v = p[i];
  if (v < 0)
    goto on;
  v = -v;
on:
  v += sum(v); //~ warning[implementation-defined-convergence]: `sum` calls `__shfl_down_sync`
  p[i] = v;
}
