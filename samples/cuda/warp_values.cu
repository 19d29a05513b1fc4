// What threads of a warp get from each other: all the same if all had the same, or if all name one lane. And names of the size of a warp that nothing defines.
#include <cub/cub.cuh>
typedef cub::WarpReduce<int> reduce;

__global__ void of_the_same(int n, int *out) {
  int all = __shfl_sync(0xffffffffu, n, 0);
  if (all > 3)
    __syncthreads();
}

__global__ void of_each_its_own(int n, int *out) {
  int next = __shfl_down_sync(0xffffffffu, (int)threadIdx.x, 1);
  if (next > n)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void of_one_lane(int n, int *out) {
  int first = __shfl_sync(0xffffffffu, (int)threadIdx.x, 0);
  if (first > n)
    __syncwarp();
  if (first > n)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void of_one_lane_in_each_half(int n, int *out) {
  int first = __shfl_sync(0xffffffffu, (int)threadIdx.x, 0, 16);
  __shared__ reduce::TempStorage storage;
  if (first > n)
    out[0] = reduce(storage).Sum(n);  //~ error[divergent-subgroup-operation]: `threadIdx.x`
}

constexpr __device__ int lanes() { return 32; }

__global__ void by_a_constant_function(const int *in, int *out) {
  int warp = threadIdx.x / lanes();
  __shared__ reduce::TempStorage storage[32];
  if (in[warp] > 3)
    out[warp] = reduce(storage[warp]).Sum(in[threadIdx.x]);
}

template <unsigned WAVE_SIZE> __global__ void by_a_parameter(const int *in, int *out) {
  auto warp = threadIdx.x / WAVE_SIZE;
  __shared__ reduce::TempStorage storage[32];
  if (in[warp] > 3)
    out[warp] = reduce(storage[warp]).Sum(in[threadIdx.x]);
}

template <unsigned COUNT> __global__ void by_another_parameter(const int *in, int *out) {
  auto warp = threadIdx.x / COUNT;
  __shared__ reduce::TempStorage storage[32];
  if (in[warp] > 3)
    out[warp] = reduce(storage[warp]).Sum(in[threadIdx.x]);  //~ error[divergent-subgroup-operation]: `threadIdx.x`
}

__global__ void by_what_another_header_has(const int *in, int *out) {
  auto warp = static_cast<std::int32_t>(threadIdx.x) / util::WarpThreads(); //~ note[assumed-from-name]
  __shared__ reduce::TempStorage storage[32];
  if (in[warp] > 3)
    out[warp] = reduce(storage[warp]).Sum(in[threadIdx.x]);
}

// Loops that step over all threads of the block, which are taken to be at most so many as the step.
__global__ void rounded_up_to_the_step(const int *in, int *out, int n) {
  __shared__ int tile[128];
  for (int i = threadIdx.x; i < (n + 127) / 128 * 128; i += 128) {
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[127 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void rounded_up_to_less(const int *in, int *out, int n) {
  __shared__ int tile[128];
  for (int i = threadIdx.x; i < (n + 63) / 64 * 64; i += 128) {
    tile[threadIdx.x] = in[i];
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
    out[i] = tile[127 - threadIdx.x];
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  }
}

__global__ void fewer_than_all(const int *in, int n) {
  if (threadIdx.x < 128) {
    for (int i = threadIdx.x; i < (n + 127) / 128 * 128; i += 128)
      __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  }
}

// A logical warp is a part of a warp, and needs the threads of that part.
typedef cub::WarpReduce<int, 8> reduce_of_eight;
typedef cub::WarpReduce<int, 32> reduce_of_all;
__global__ void a_part_of_a_warp(const int *in, int *out) {
  __shared__ reduce_of_eight::TempStorage storage;
  if (threadIdx.x < 8)
    out[0] = reduce_of_eight(storage).Sum(in[threadIdx.x]);
}
__global__ void all_of_a_warp(const int *in, int *out) {
  __shared__ reduce_of_all::TempStorage storage;
  if (threadIdx.x < 8)
    out[0] = reduce_of_all(storage).Sum(in[threadIdx.x]);  //~ error[divergent-subgroup-operation]: `threadIdx.x`
}

// The step may be a number that the build gives, and the index of a type that a template is given.
template <typename index_t> __global__ void rounded_up_to_what_the_build_gives(const int *in, index_t width) {
  const index_t size = WARPS_PER_BLOCK * 32;
  for (index_t i = threadIdx.x; i < (width + size - 1) / size * size; i += size)
    __syncthreads();
}

__global__ void rounded_up_to_something_else(const int *in, int width) {
  for (int i = threadIdx.x; i < (width + WIDE - 1) / WIDE * WIDE; i += TALL)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void rounded_up_to_a_part_of_it(const int *in, int width) {
  for (int i = threadIdx.x; i < (width + WIDE - 1) / WIDE * WIDE; i += WIDE * 2)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

// A warp is whole rows of a block, whose size is a multiple of it.
__global__ void rounded_up_to_the_warp(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ reduce::TempStorage storage[32];
  if (i < (n + 31) / 32 * 32)
    out[i] = reduce(storage[threadIdx.x / 32]).Sum(in[i]);
}

__global__ void divided_by_a_function(const int *in, int width) {
  for (int i = threadIdx.x; i < CEIL_DIV(width, TILE) * TILE; i += TILE)  //~ note[undeclared-function]: `CEIL_DIV`
    __syncthreads();
}

__global__ void divided_by_another_number(const int *in, int width) {
  for (int i = threadIdx.x; i < CEIL_DIV(width, TILE); i += TILE)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

// What a scan gives as the aggregate of the block is the same for all; what it gives each thread is not.
__global__ void aggregates(const int *in, int *out, int n, int room) {
  typedef cub::BlockScan<int, 256> scan;
  __shared__ typename scan::TempStorage storage;
  int end = 0;
  for (int i = 0; i < n; i += 256) {
    int at, all;
    scan(storage).ExclusiveSum(in[i + threadIdx.x], at, all);
    if (end + all >= room)
      break;
    end += all;
    out[end + at] = i;
    __syncthreads();
  }
}

__global__ void places(const int *in, int *out, int n, int room) {
  // No execution shows it: executions have no scans of libraries.
  typedef cub::BlockScan<int, 256> scan;
  __shared__ typename scan::TempStorage storage;
  for (int i = 0; i < n; i += 256) {
    int at, all;
    scan(storage).ExclusiveSum(in[i + threadIdx.x], at, all);  //~ error[divergent-barrier]: `at`
    if (at >= room)
      break;
    out[at] = all;
    __syncthreads();  //~ error[divergent-barrier]
  }
}

__global__ void in_one_row(const long *keys, long *out, long n) {
  auto block = cooperative_groups::this_thread_block();
  auto const rank = block.thread_rank();
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  while (i - rank < n) {
    if (i < n) out[i] = keys[i];
    block.sync();
    i += (long)gridDim.x * blockDim.x;
  }
}

// The address of `lane` is passed on, but nobody writes to it: it is the same number as before.
__device__ int last(const int &v, const unsigned &lane) {
  return __shfl_sync(0xffffffff, v + (int)lane, 31);
}
__global__ void number_by_reference(int *p, unsigned n) {
  unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
  unsigned lane = threadIdx.x & 31;
  if (i - lane >= n)
    return;
  p[i] = last(p[i], lane);
}
__device__ void next(unsigned &lane) { lane = lane * 3 & 31; }
__global__ void number_changed_by_reference(int *p, unsigned n) {
  unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
  unsigned lane = threadIdx.x & 31;
  next(lane);
  if (i - lane >= n)
    return;
  p[i] = __shfl_sync(0xffffffff, p[i], 31); //~ warning[shuffle-from-inactive-lane]
}

// Segments of 32 lanes are whole warps, so all read the same lane.
__global__ void last_of_the_warp(int *p) {
  int v = p[threadIdx.x];
  if (__shfl_sync(0xffffffff, v, 31, 32) || __shfl_sync(0xffffffff, v, 31, warpSize))
    __syncwarp();
}
__global__ void last_of_each_half(int *p) {
  int v = p[threadIdx.x];
  if (__shfl_sync(0xffffffff, v, 15, 16))
    __syncwarp(); //~ warning[full-mask-in-divergent-flow]
}
