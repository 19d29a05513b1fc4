// A mask names lanes that are elsewhere (docs/semantics.md §10). If the numbers of the threads decide, the finding lists
// the lanes.

__global__ void half_of_the_warp(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v = __shfl_xor_sync(0xffffffff, v, 1); //~ error[full-mask-in-divergent-flow]: lanes 16 to 31 of the mask do not reach
  p[threadIdx.x] = v;
}

// The value decides, so the lanes are unknown.
__global__ void by_value(int *p) {
  int v = p[threadIdx.x];
  if (v > 0)
    v = __reduce_add_sync(~0u, v); //~ warning[full-mask-in-divergent-flow]: not all lanes of the mask reach `__reduce_add_sync`
  p[threadIdx.x] = v;
}

// The last iteration has fewer lanes if `n` is no multiple of 32.
__global__ void trip_count(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = __ballot_sync(0xffffffff, p[i] > 0); //~ warning[full-mask-in-divergent-flow]: the trip count depends on
}

// A call without a mask names all lanes.
__global__ void default_mask(int *p) {
  if (threadIdx.x % 2 == 0) {
    p[threadIdx.x] = 1;
    __syncwarp(); //~ error[full-mask-in-divergent-flow]: not all lanes of the mask 0xffffffff reach this `__syncwarp`
  }
}

__global__ void operand(int *p) {
  int v = p[threadIdx.x];
  if (v > 0 && __any_sync(0xffffffff, v > 3)) //~ warning[full-mask-in-divergent-flow]: `__any_sync`
    p[threadIdx.x] = 0;
}

__device__ int sum(int v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}

__global__ void helper(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x < 8)
    v = sum(v); //~ error[full-mask-in-divergent-flow]: lanes 8 to 31 of the mask do not reach this call of `sum`
  p[threadIdx.x] = v;
}

__device__ int sum_of(unsigned mask, int v) {
  v += __shfl_xor_sync(mask, v, 2);
  return v + __shfl_xor_sync(mask, v, 1);
}

__global__ void mask_as_argument(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 4)
    v = sum_of(0xff, v); //~ error[full-mask-in-divergent-flow]: lanes 4 to 7 of the mask do not reach this call of `sum_of`
  p[threadIdx.x] = v;
}

// The mask of each group of eight lanes names more lanes than reach the call.
__global__ void part_of_a_group(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  unsigned mask = 0xffu << (lane & 24);
  if (lane % 8 < 6)
    v = __shfl_sync(mask, v, lane & 24); //~ error[full-mask-in-divergent-flow]: not all lanes of the mask reach `__shfl_sync`
  p[threadIdx.x] = v;
}

__global__ void one_case(int *p) {
  int v = p[threadIdx.x];
  switch (threadIdx.x % 4) {
  case 0:
    v = __shfl_sync(0xffffffff, v, 0); //~ error[full-mask-in-divergent-flow]: not all lanes of the mask reach
    break;
  default:
    v = 0;
  }
  p[threadIdx.x] = v;
}

// The other lanes execute another operation, or the same one with another mask. Each branch has one finding.
__global__ void other_operation(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v = __shfl_sync(0xffffffff, v, 0); //~ error[full-mask-in-divergent-flow]: lanes 16 to 31
  else
    v = __shfl_xor_sync(0xffffffff, v, 1); //~ error[full-mask-in-divergent-flow]: names lanes 0 to 15, which do not reach
  p[threadIdx.x] = v;
}

__global__ void other_mask(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v = __shfl_sync(0xffffffff, v, 0); //~ error[full-mask-in-divergent-flow]: lanes 16 to 31
  else
    v = __shfl_sync(0xffff0000, v, 16);
  p[threadIdx.x] = v;
}

__global__ void after_a_continue(int *p, int n) {
  for (int k = 0; k < n; k++) {
    if (p[threadIdx.x] == k)
      continue;
    p[threadIdx.x] += __shfl_xor_sync(0xffffffff, k, 1); //~ warning[full-mask-in-divergent-flow]: a `continue` depends on
  }
}

// Threads that return from a helper are elsewhere: they have not left the kernel.
__device__ void return_in_a_helper(int *p) {
  if (threadIdx.x % 32 > 29)
    return;
  p[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0); //~ error[full-mask-in-divergent-flow]: lanes 30 and 31
}

__global__ void calls_return_in_a_helper(int *p) {
  return_in_a_helper(p);
  p[threadIdx.x] = 0;
}

// Some have left the kernel, and others are elsewhere.
__global__ void left_and_elsewhere(int *p) {
  if (threadIdx.x % 32 >= 24)
    return;
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 >= 8)
    v = __shfl_xor_sync(0xffffffff, v, 1); //~ error[full-mask-in-divergent-flow]: lanes 0 to 7
  p[threadIdx.x] = v;
}

// Inside the loop, `i` is the same for all lanes of an iteration. Behind it, lanes have left in different iterations.
__global__ void left_in_different_iterations(int *p) {
  int v = p[threadIdx.x], i = 0;
  while (i < (int)(threadIdx.x & 3))
    ++i;
  if (i < 2)
    v = __shfl_xor_sync(0xffffffff, v, 1); //~ warning[full-mask-in-divergent-flow]
  p[threadIdx.x] = v;
}

// Threads leave between the mask and its use, in one iteration.
__global__ void left_after_the_mask(int *p, const int *q, int n) {
  for (int i = threadIdx.x; i < n; i += 32) {
    unsigned mask = __match_any_sync(__activemask(), q[i]);
    if (q[i + 1] == n)
      break;
    __syncwarp(mask); //~ warning[full-mask-in-divergent-flow]: a `break` depends on
  }
  p[threadIdx.x] = 0;
}

// The mask names two groups of eight lanes, which have different rows.
__global__ void rows_of_other_groups(int *p, const int *q, int rows) {
  unsigned mask = 0xffffu << (threadIdx.x % 32 / 16 * 16);
  int sum = 0;
  for (int row = threadIdx.x / 8; row < rows; row += 16) {
    int v = q[row * 8 + threadIdx.x % 8];
    v += __shfl_xor_sync(mask, v, 1, 8); //~ warning[full-mask-in-divergent-flow]: the trip count depends on `row`
    sum += v;
  }
  p[threadIdx.x] = sum;
}

// The others are elsewhere: they have not left the kernel.
__global__ void return_of_all_beside_the_others(int *p, int n) {
  if (p[threadIdx.x] > 3) {
    if (n < 2)
      return;
    __syncwarp(); //~ warning[full-mask-in-divergent-flow]: the condition depends on
  }
  p[threadIdx.x] = 0;
}

__global__ void lanes_beside_a_return(int *p, int n) {
  if (threadIdx.x % 32 < 8) {
    if (n < 2)
      return;
    p[threadIdx.x] += __shfl_xor_sync(0xffffffff, n, 1); //~ error[full-mask-in-divergent-flow]: lanes 8 to 31
  }
  p[threadIdx.x] += n;
}

// All lanes reach it once, and not all of them again.
__global__ void again_for_some(int *p, int n) {
  int v = p[threadIdx.x];
  do {
    __syncwarp(); //~ warning[full-mask-in-divergent-flow]
    v -= n;
  } while (v > 0);
  p[threadIdx.x] = v;
}

// The lanes exit soon, but the others are elsewhere.
__global__ void before_an_exit(int *p, int n) {
  if (n == 0)
    return;
  if (p[threadIdx.x] > 3) {
    __syncwarp(); //~ warning[full-mask-in-divergent-flow]
    return;
  }
  p[threadIdx.x] = n;
}

__global__ void some_again(int *p) {
  int t = threadIdx.x;
  do {
    __syncwarp(); //~ error[full-mask-in-divergent-flow]: lanes
    t += 32;
  } while (threadIdx.x & 1 && t < 256);
  p[threadIdx.x] = t;
}

// The others wait at `__any_sync` for the lanes that wait here.
__global__ void another_operation_first(int *p, int n) {
  int v = p[threadIdx.x];
  if (v > n) {
    __syncwarp(); //~ warning[full-mask-in-divergent-flow]
    return;
  }
  p[threadIdx.x] = __any_sync(0xffffffff, v > 1);
  __syncwarp();
}

// Only some lanes get there by the `goto`.
__global__ void goto_past_it(int *p, int n) {
  if (n > 3) {
    if (p[threadIdx.x] == n)
      goto end;
  }
  __syncwarp(); //~ warning[full-mask-in-divergent-flow]
end:
  p[threadIdx.x] = n;
}
