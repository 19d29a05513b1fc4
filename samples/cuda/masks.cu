// A mask names the threads of an operation, and control flow does not (docs/semantics.md §10). So from sm_70 on, only
// operations without a mask have implementation-defined convergence.

// Threads jump over the negation: two tangles reach each operation after the label.
__global__ void forward_goto(int *p) {
  int i = threadIdx.x, v = p[i];
  if (v < 0)
    goto on;
  v = -v;
on:
  v += __shfl_sync(0xffffffff, v, 0);
  v += __shfl_xor_sync(0xffffffff, v, 1);
  v += __any_sync(0xffffffff, v > 3);
  v += __match_any_sync(0xffffffff, v);
  v += __reduce_add_sync(0xffffffff, v);
  __syncwarp();
  __syncwarp(0xffffffff);
  __syncthreads(); //~ warning[implementation-defined-convergence]: `__syncthreads`
  v += __activemask(); //~ warning[implementation-defined-convergence]: `__activemask`
  v += __shfl_xor(v, 1); //~ warning[implementation-defined-convergence]: `__shfl_xor` //~ note[legacy-warp-intrinsic]
  p[i] = v;
}

// Threads reach `case 1` by fall-through and by a jump.
__global__ void fall_through(int *p) {
  int i = threadIdx.x, mode = p[i], v = 0;
  unsigned mask = __ballot_sync(0xffffffff, mode == 0 || mode == 1);
  switch (mode) {
  case 0:
    p[i] = 1;
  case 1:
    v = __ballot_sync(mask, p[i] > 0);
    v += __activemask(); //~ warning[implementation-defined-convergence]: `__activemask`
  }
  p[i] = v;
}

// The operations in a callee decide for its calls.
__device__ int sum(int v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}

__device__ int sum_of_sums(int v) { return sum(sum(v)); }

__device__ int exchanged(int *s, int v) {
  s[threadIdx.x] = v; //~ warning[implicit-warp-synchronous]: `s[threadIdx.x ^ 1]`
  __syncthreads();
  return s[threadIdx.x ^ 1];
}

// The shuffle is closer than the barrier, but only the barrier matters.
__device__ int both(int *s, int v) {
  v += __shfl_xor_sync(0xffffffff, v, 1);
  return exchanged(s, v);
}

__global__ void helpers(int *p) {
  __shared__ int s[1024];
  int i = threadIdx.x, v = p[i];
  if (v < 0)
    goto on;
  v = -v;
on:
  v += sum(v);
  v += sum_of_sums(v);
  v += exchanged(s, v); //~ warning[implementation-defined-convergence]: `exchanged` calls `__syncthreads`
  v += both(s, v); //~ warning[implementation-defined-convergence]: `both` calls `exchanged`, which calls `__syncthreads`
  p[i] = v;
}

// The last operand of an instruction is its mask.
__global__ void instructions(int *p) {
  int i = threadIdx.x, v = p[i];
  if (v < 0)
    goto on;
  v = -v;
on:
  asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(v));
  asm volatile("bar.warp.sync 0xffffffff;");
  asm volatile("bar.sync 0;"); //~ warning[implementation-defined-convergence]: `bar.sync a`
  p[i] = v;
}
