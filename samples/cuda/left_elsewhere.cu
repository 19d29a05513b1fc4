// Who does not come to a barrier has left the kernel, or is elsewhere (docs/semantics.md §10): CUDA promises something of the first only.

__global__ void left(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = in[i];
  __syncthreads(); //~ note[barrier-after-return]: `__syncthreads`
}

__global__ void left_by_two_conditions(const int *in, int *out, int n, bool guard) {
  int i = threadIdx.x;
  if (guard && i >= n)
    return;
  __syncthreads(); //~ note[barrier-after-return]
  out[i] = in[i];
}

__global__ void left_with_a_last_word(const int *in, int *out, int n) {
  int i = threadIdx.x;
  if (i >= n) {
    out[i] = -1;
    return;
  } else {
    out[i] = in[i];
  }
  __syncthreads(); //~ note[barrier-after-return]
}

// In a helper a `return` leads back to the caller: nobody has left.
__device__ void helper(int *p, int n) {
  if (threadIdx.x >= n)
    return;
  __syncthreads(); //~ error[divergent-barrier]: not all threads reach this `__syncthreads`
  p[threadIdx.x] = n;
}

__global__ void through_a_helper(int *p, int n) {
  helper(p, n);
}

// Who takes the other side is elsewhere, although nothing follows.
__global__ void elsewhere(int *p) {
  if (threadIdx.x < 32) {
    p[threadIdx.x] = 0;
    __syncthreads(); //~ error[divergent-barrier]
  }
}

__global__ void elsewhere_before_a_return(int *p) {
  if (threadIdx.x < 32) {
    __syncthreads(); //~ error[divergent-barrier]
  }
  return;
}

// Those who leave at the `return` have waited at another barrier before: some wait there while the others wait here.
__global__ void left_behind_another_barrier(int *p, int n) {
  if (threadIdx.x >= n) {
    __syncthreads(); //~ error[mismatched-barriers]: threads of one block wait at different barriers
    return;
  }
  __syncthreads();
  p[threadIdx.x] = n;
}

// Some have left, and others are elsewhere: that is what matters.
__global__ void both(int *p, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  if (p[i] > 0)
    __syncthreads(); //~ error[divergent-barrier]
}

// All leave, or none.
__global__ void together(int *p, int n) {
  if (blockIdx.x >= n)
    return;
  __syncthreads();
  p[threadIdx.x] = n;
}

__global__ void in_a_loop(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    p[i] = 0;
    __syncthreads(); //~ error[divergent-barrier]
  }
}

__global__ void in_a_loop_of_all(int *p, int n) {
  for (int base = 0; base < n; base += blockDim.x) {
    int i = base + threadIdx.x;
    if (i < n)
      p[i] = 0;
    __syncthreads();
  }
}

// Who leaves inside of a branch leaves all the same; the others come to both barriers.
__global__ void leaves_in_branch(int *p, int n) {
  if (threadIdx.x < n) {
    if (p[threadIdx.x] < 3)
      return;
    p[0] = 1;
  }
  __syncthreads(); //~ note[barrier-after-return]
  __syncthreads(); //~ note[barrier-after-return]
}

// … and so does who leaves from a loop.
__global__ void leaves_in_loop(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (p[i] < 3)
      return;
  __syncthreads(); //~ note[barrier-after-return]
}

// All threads that have not exited take the same way through the `switch`.
__global__ void same_case_after_an_exit(int *p, int n) {
  if (threadIdx.x >= n) return;
  switch (blockIdx.x & 1) {
  case 0: p[0] = 0;
  default: __syncthreads(); //~ note[barrier-after-return]
  }
}

// Work is fetched until none is left. Threads that `continue` meet the others at the next iteration; those that return
// have left.
__global__ void persistent(int *work, int *out, int n) {
  __shared__ int base;
  for (;;) {
    __syncthreads(); //~ note[barrier-after-return]
    if (threadIdx.x == 0)
      base = atomicAdd(work, 64);
    __syncthreads(); //~ note[barrier-after-return]
    int i = base + threadIdx.x;
    if (i >= n)
      return;
    if (out[i] < 0)
      continue;
    out[i] = 0;
  }
}

// Here those that `continue` are elsewhere when the others wait, and wait in an iteration of their own.
__global__ void persistent_and_apart(int *out) {
  int turn = 0;
  for (;;) {
    if (turn++ + threadIdx.x >= 40)
      return;
    if (turn + threadIdx.x & 1)
      continue;
    __syncthreads(); //~ error[divergent-barrier]
    out[threadIdx.x] = turn;
  }
}
