// What a store through a pointer does not change: constants, what the kernel was given, shared variables whose addresses nobody is told.
#include <cuda_runtime.h>

struct Params {
  const int *bounds;
  float *out;
  int **rows;
  int count;
};

constexpr int STEPS = 8;
const int WIDTH = 16;
static constexpr bool WIDE = WIDTH > 8;
__constant__ int limit;
__constant__ float *table;
template <typename T> inline constexpr bool is_small = sizeof(T) < 4;

// Constants stay constants.
template <typename T> __global__ void constants(Params p) {
  p.rows[blockIdx.x][threadIdx.x] = 1;
  if (STEPS > 3)
    __syncthreads();
  for (int i = 0; i < 64; i += WIDTH)
    __syncthreads();
  if (limit > 3)
    __syncthreads();
  if constexpr (is_small<T>)
    __syncthreads();
  table[threadIdx.x] = 0;
  if (WIDE && limit)
    __syncthreads();
}

// Pointers in what a kernel is given lead to distinct memory, as pointers that it is given do.
__global__ void members(const Params p) {
  // No execution shows it: the parameter is a record of pointers.
  for (int i = p.bounds[blockIdx.x]; i < p.bounds[blockIdx.x + 1]; ++i) {
    p.out[threadIdx.x] = i;
    __syncthreads();
  }
  if (p.bounds[threadIdx.x])
    __syncthreads(); //~ error[divergent-barrier]
}

// … and back into what holds them they do not lead.
__device__ void steps(const Params &p) {
  for (int i = 0; i < p.count; ++i) {
    p.out[threadIdx.x] = i;
    __syncthreads();
  }
}
__global__ void by_reference(Params p) { steps(p); }

struct Histogram {
  int *bins;
  bool single;
  __device__ void add() {
    bins[threadIdx.x] = threadIdx.x;
    if (single)
      __syncthreads();
  }
};
__global__ void by_this(int *bins, int n) {
  Histogram h{bins, n == 1};
  h.add();
}

// One pointer of several origins leads to none of the variables that only their names lead to.
__global__ void named(int *p, int *q, int n) {
  __shared__ int flag;
  int *raw = nullptr;
  if (n > 3)
    raw = q;
  if (threadIdx.x == 0)
    flag = p[blockIdx.x];
  __syncthreads();
  if (flag) {
    raw[threadIdx.x] = 1;
    __syncthreads();
  }
}

// What is told to others may be changed by them.
__global__ void told(int *p, int **q, int n) {
  __shared__ int flag;
  *q = &flag;
  if (threadIdx.x == 0)
    flag = p[blockIdx.x];
  __syncthreads();
  if (flag)
    __syncthreads(); //~ warning[divergent-barrier]
  q[n][threadIdx.x] = 1;
}

// Shared memory of a function: its barriers keep it apart, and callers have no name for it.
__device__ int block_any(int v) {
  __shared__ int any;
  if (threadIdx.x == 0)
    any = v;
  __syncthreads();
  if (any)
    __syncthreads();
  return v;
}
__device__ void put(float v) {
  __shared__ float data[64];
  data[threadIdx.x] = v;
}
__global__ void shared_of_functions(const float *x, int *out) {
  put(1);
  if (x[0] < 1)
    __syncthreads();
  out[threadIdx.x] = block_any(out[threadIdx.x]);
}

// What a reference to something constant refers to is not changed through another one.
__device__ void of_references(const Params &q, int &best) {
  for (int t = 0; t < 4; ++t) {
    for (int i = 0; i < q.count; ++i)
      __syncthreads();
    best = threadIdx.x;
  }
}
__global__ void references(const Params q, int *out) {
  int best = -1;
  of_references(q, best);
  out[threadIdx.x] = best;
}

// What a kernel is given of an unknown type leads to memory by pointers: that is no part of it.
template <typename P> __global__ void of_unknown_type(P params) {
  for (int w = 0; w < params.n; ++w) {
    __syncthreads();
    params.o[threadIdx.x] = w;
  }
}

// A method reads through a pointer of its object.
struct Lengths {
  int *all;
  __device__ int first() const { return all[0]; }
};
__global__ void of_method(Lengths lengths) {
  if (lengths.first())
    __syncthreads();
}
