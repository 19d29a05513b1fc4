// Values that a shuffle or vote makes equal in the lanes of a mask, in functions whose arguments differ between lanes.

// One item of work after the other, chosen by a vote and read by all lanes.
__device__ void work_queue(bool &wanted, unsigned key, unsigned *nodes) {
  unsigned queue;
  while ((queue = __ballot_sync(0xffffffff, wanted))) {
    unsigned own = __shfl_sync(0xffffffff, key, __ffs(queue) - 1);
    unsigned data = nodes[own + threadIdx.x % 32];
    unsigned least = __shfl_sync(0xffffffff, data, 1);
    while (least && own >= least) {
      data = nodes[__shfl_sync(0xffffffff, data, 0) + threadIdx.x % 32];
      least = __shfl_sync(0xffffffff, data, 1);
    }
    if (threadIdx.x % 32 == __ffs(queue) - 1)
      wanted = false;
  }
}

__global__ void queue(unsigned *keys, unsigned *nodes) {
  bool wanted = keys[threadIdx.x] > 3;
  work_queue(wanted, keys[threadIdx.x], nodes);
}

// Each lane reads another one.
__device__ int of_neighbour(int v) {
  int other = __shfl_sync(0xffffffff, v, threadIdx.x + 1);
  if (other > 3)
    v += __shfl_xor_sync(0xffffffff, v, 1); //~ warning[full-mask-in-divergent-flow]
  return v;
}

__global__ void neighbour(int *p) { p[threadIdx.x] = of_neighbour(p[threadIdx.x]); }

// Each half of the warp reads its own first lane: enough for the mask of a half, but not for that of the warp.
__device__ int of_half(int v) {
  unsigned half = 0xffffu << (threadIdx.x & 16);
  int first = __shfl_sync(0xffffffff, v, 0, 16);
  if (first > 3)
    v += __shfl_xor_sync(half, v, 1);
  if (first > 5)
    v += __shfl_xor_sync(0xffffffff, v, 1); //~ warning[full-mask-in-divergent-flow]
  return v;
}

__global__ void half(int *p) { p[threadIdx.x] = of_half(p[threadIdx.x]); }

// The number of the thread is an argument.
__device__ float sum_of_warp(float v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}

__device__ float sum_of_block(float *x, float v, int thread, int size) {
  int lane = thread % 32, warp = thread / 32;
  v = sum_of_warp(v);
  if (lane == 0)
    x[warp] = v;
  __syncthreads();
  v = thread < size / 32 ? x[lane] : 0;
  if (warp == 0)
    v = sum_of_warp(v);
  return v;
}

__global__ void row(float *p) {
  __shared__ float x[32];
  p[threadIdx.x] = sum_of_block(x, p[threadIdx.x], threadIdx.x, blockDim.x);
}

__global__ void plane(float *p) {
  __shared__ float x[32];
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  p[thread] = sum_of_block(x, p[thread], thread, blockDim.x * blockDim.y);
}

__device__ float first_warp(float v, int thread) {
  if (thread / 32 == 0)
    v = sum_of_warp(v); //~ error[full-mask-in-divergent-flow]
  return v;
}

__global__ void twice_the_number(float *p) { p[threadIdx.x] = first_warp(p[threadIdx.x], 2 * threadIdx.x); }

__global__ void of_the_grid(float *p) {
  int thread = blockIdx.x * 64 + threadIdx.x;
  p[thread] = first_warp(p[thread], thread);
}

// A flag that all lanes set together, in a loop that they leave together.
__device__ int steps(int *next, int v) {
  unsigned found = 0;
  int at = __shfl_sync(0xffffffff, v, 0);
  while (!(found & 4)) {
    int data = next[at + threadIdx.x % 32];
    int first = __shfl_sync(0xffffffff, data, 31);
    found = first < 0 ? found | 4 : found & 3;
    if (found & 2)
      v += __shfl_xor_sync(0xffffffff, v, 1);
    found |= 2;
    at = __shfl_sync(0xffffffff, data, 0);
  }
  return v;
}

__global__ void flags(int *next, int *p) { p[threadIdx.x] = steps(next, p[threadIdx.x]); }

// Constants both, but each lane has its own choice of them.
__device__ int chosen(int v) {
  int limit;
  if (v > 3)
    limit = 4;
  else
    limit = 5;
  if (limit > 4)
    v += __shfl_xor_sync(0xffffffff, v, 1); //~ warning[full-mask-in-divergent-flow]
  return v;
}

__global__ void choices(int *p) { p[threadIdx.x] = chosen(p[threadIdx.x]); }
