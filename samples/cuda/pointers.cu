// Where pointers lead that are chosen among several, or that a function returns; and fields of records, which are never one another, wherever the records are.

__global__ void ping_pong(float *a, float *b, const int *n) {
  float *from = a;
  float *to = b;
  for (int width = 1; width < n[0]; width *= 2) {
    to[threadIdx.x] = from[threadIdx.x] + 1;
    __syncthreads();
    float *other = from;
    from = to;
    to = other;
  }
}

__global__ void one_of_them(int *a, int *b, bool first) {
  int *to = first ? a : b;
  if (threadIdx.x == 0)
    *to = 1;
  if (a[0])
    __syncthreads();  //~ warning[divergent-barrier]: `a[0]`
}

struct counters { int count; bool active; };

struct view {
  counters *data;
  int stride;
  __device__ counters *lane(int i) { return &data[i * stride]; }
};

struct parameters { view lanes; view others; };

__global__ void returned(parameters p, int lanes) {
  for (int lane = blockIdx.x; lane < lanes; lane += gridDim.x) {
    counters *of = p.lanes.lane(lane);
    if (!of->active)
      continue;
    __syncthreads();
    of->count = threadIdx.x;
    p.others.lane(lane)->active = threadIdx.x == 0;
  }
}

__global__ void returned_and_written(parameters p, int lanes) {
  for (int lane = blockIdx.x; lane < lanes; lane += gridDim.x) {
    counters *of = p.lanes.lane(lane);
    if (!of->active)
      continue;
    __syncthreads();  //~ warning[divergent-barrier]: `of->active`
    p.lanes.lane(lane)->active = threadIdx.x == 0;
  }
}

__global__ void fields(counters *all, int n) {
  for (int i = blockIdx.y; i < n; i += gridDim.y) {
    counters *one = all + i;
    if (!one->active)
      continue;
    __syncthreads();
    if (threadIdx.x == 0)
      atomicAdd(&one->count, 1);
  }
}

// What is read decides which address is read next: it is the same for all as long as nobody writes it meanwhile.
__global__ void next_by_what_was_read(const int *in, int *out, int n) {
  __shared__ int at[64];
  at[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int i = 0;
  while (i < n) {
    const int next = at[i];
    if (next > i)
      __syncthreads();
    out[i] = next;
    i = next;
  }
}

__device__ float largest(float x) {
  __shared__ float part[8];
  part[threadIdx.x / 32] = x;
  __syncthreads();
  return part[0];
}

// A variable of a function is no memory of its callers.
__global__ void beside_what_a_callee_shares(const int *offsets, float *out, int n) {
  extern __shared__ int offset[];
  offset[threadIdx.x] = offsets[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < offset[n]; i += 256) {
    out[0] = largest(i);
    __syncthreads();
  }
}
