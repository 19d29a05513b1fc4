// All named lanes reach the operation, have left the kernel, or execute the same operation with the same mask elsewhere.

__global__ void all_lanes(int *p) {
  int v = p[threadIdx.x];
  v = __shfl_xor_sync(0xffffffff, v, 1);
  if (threadIdx.x % 32 < 16)
    p[threadIdx.x] = v;
}

// The mask names the lanes that take the branch.
__global__ void mask_of_the_branch(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  if ((lane & 15) == 0)
    v = __shfl_xor_sync(0x00010001, v, 16);
  if (lane < 16)
    v += __shfl_xor_sync(0xffff, v, 1);
  else
    v += __shfl_xor_sync(0xffff0000, v, 1);
  p[threadIdx.x] = v;
}

__global__ void mask_by_ballot(int *p, int n) {
  int v = p[threadIdx.x];
  unsigned mask = __ballot_sync(0xffffffff, v > 0);
  if (v > 0)
    v = __shfl_sync(mask, v, __ffs(mask) - 1);
  p[threadIdx.x] = v;
}

__global__ void narrowed_mask(int *p, int n) {
  unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    p[i] = __popc(__ballot_sync(mask, p[i] > 0));
    mask = __ballot_sync(mask, i + blockDim.x < n);
  }
}

// Threads that have left the kernel do not count.
__global__ void early_return(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] = __reduce_max_sync(0xffffffff, p[i]);
}

__global__ void same_operation_on_both_sides(int *p) {
  int v = p[threadIdx.x];
  if (v > 0)
    v = __shfl_xor_sync(0xffffffff, v, 1);
  else
    v = __shfl_xor_sync(0xffffffff, -v, 2);
  p[threadIdx.x] = v;
}

__global__ void same_operation_in_three_cases(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 8)
    v = __any_sync(0xffffffff, v > 0);
  else if (v > 2)
    v = __any_sync(0xffffffff, v > 1);
  else
    v = __any_sync(0xffffffff, v > 2);
  p[threadIdx.x] = v;
}

// Whole warps take these branches.
__global__ void branches_of_warps(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = p[i];
  if (threadIdx.x < 32)
    v += __shfl_sync(0xffffffff, v, 0);
  if (i / 32 < n)
    v += __shfl_sync(0xffffffff, v, 1);
  if (i % 64 >= 32)
    v += __shfl_sync(0xffffffff, v, 2);
  for (int k = threadIdx.x / 32; k < n; k += blockDim.x / 32)
    v += __shfl_sync(0xffffffff, v, 3);
  p[i] = v;
}

__global__ void rows_of_warps(int *p, int n) {
  int linear = threadIdx.y * blockDim.x + threadIdx.x, v = p[linear];
  if (linear < 32)
    v = __shfl_xor_sync(0xffffffff, v, 1);
  if (threadIdx.y == n)
    v = __shfl_xor_sync(0xffffffff, v, 2);
  p[linear] = v;
}

__device__ int sum_of(unsigned mask, int v) {
  v += __shfl_xor_sync(mask, v, 2);
  return v + __shfl_xor_sync(mask, v, 1);
}

__global__ void mask_as_argument(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 4)
    v = sum_of(0xf, v);
  p[threadIdx.x] = v;
}

__device__ unsigned mask_of_group(int width) {
  int lane = threadIdx.x & 31;
  return ((1u << width) - 1) << (lane / width * width);
}

__global__ void mask_from_a_helper(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  if (lane / 8 == 2)
    v = __shfl_xor_sync(mask_of_group(8), v, 1);
  p[threadIdx.x] = v;
}

__global__ void mask_by_branch(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  unsigned mask = 0xffff;
  if (lane >= 16)
    mask = 0xffff0000;
  v += __shfl_xor_sync(mask, v, 8);
  p[threadIdx.x] = v;
}

// The lanes that the ballot yields are not known, but the lanes of the ballot are.
__global__ void ballot_of_known_lanes(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  unsigned mask = __ballot_sync(0xffffffff, lane < 20);
  if (lane < 20)
    v = __shfl_sync(mask, v, 0);
  p[threadIdx.x] = v;
}

// The mask of the lanes that happen to be together is only counted, or aggregates what these lanes do.
__global__ void active_mask(int *p, int *count) {
  int v = p[threadIdx.x];
  if (v > 0) {
    unsigned mask = __activemask();
    if ((threadIdx.x & 31) == __ffs(mask) - 1)
      atomicAdd(count, __popc(mask));
  }
}

__device__ int uniform_warp(int x) {
  int result;
  asm volatile("shfl.sync.idx.b32 %0, %1, 0, 0x1f, 0xffffffff;" : "=r"(result) : "r"(x));
  return result;
}

__global__ void warp_by_instruction(int *p) {
  if (uniform_warp(threadIdx.x / 32) == 0)
    p[threadIdx.x] = __shfl_xor_sync(0xffffffff, p[threadIdx.x], 1);
}

// A lambda runs in the launch of its caller, whose rows consist of whole warps.
__device__ int of_first_warp(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x < 32)
    v = __shfl_sync(0xffffffff, v, 0);
  return v;
}

__global__ void called_by_a_lambda(int *p) {
  auto value = [&] { return of_first_warp(p); };
  p[threadIdx.x] = value();
}

// The linear index of a thread in its block, divided by the size of a warp, is the index of its warp.
__device__ int of_warp_0(int v, int warp) {
  if (warp == 0)
    v = __shfl_xor_sync(0xffffffff, v, 1);
  return v;
}

__global__ void linear_index(int *p) {
  int index = threadIdx.y * blockDim.x + threadIdx.x;
  p[index] = of_warp_0(p[index], index / warpSize);
}

// Each iteration computes the mask anew: threads that have left the loop are not in it.
__global__ void mask_of_an_iteration(int *p, int n) {
  int i = threadIdx.x;
  while (true) {
    unsigned mask = __match_any_sync(__activemask(), p[i]);
    if (p[i] < 0)
      p[i] = 0;
    __syncwarp(mask);
    if (p[i] == n)
      return;
    i += 32;
  }
}

// The lanes of a mask have the same row, so they leave the loop together.
__global__ void rows_of_groups(int *p, const int *q, int rows) {
  unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
  int sum = 0;
  for (int row = threadIdx.x / 8; row < rows; row += 16) {
    int v = q[row * 8 + threadIdx.x % 8];
    for (int o = 4; o > 0; o /= 2)
      v += __shfl_xor_sync(mask, v, o, 8);
    sum += v;
  }
  p[threadIdx.x] = sum;
}
