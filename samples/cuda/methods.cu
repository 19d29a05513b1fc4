// Methods, and functions of a namespace, are what their bodies say, also if an operation of the language has the same name.
struct gate {
  int open;
  __device__ void __syncthreads() { open = 1; }
  __device__ int __shfl_sync(int v) { return v; }
  static __device__ int __ballot_sync(int v) { return v; }
};
namespace mine {
__device__ int __any_sync(int v) { return v; }
}

__global__ void no_barrier(int *out) {
  gate g;
  if (threadIdx.x < 3)
    g.__syncthreads();
  out[threadIdx.x] = g.open;
}

__global__ void same(int n) {
  gate g;
  if (g.__shfl_sync(n))
    __syncthreads();
  if (gate::__ballot_sync(n))
    __syncthreads();
  if (mine::__any_sync(n))
    __syncthreads();
}

__global__ void differs() {
  gate g;
  if (g.__shfl_sync(threadIdx.x))
    __syncthreads(); //~ error[divergent-barrier]
  if (gate::__ballot_sync(threadIdx.x))
    __syncthreads(); //~ error[divergent-barrier]
  if (mine::__any_sync(threadIdx.x))
    __syncthreads(); //~ error[divergent-barrier]
}

// An object without a name: the method gets its address, and a reference parameter that of the value.
struct Limits {
  int low, high;
  __device__ Limits(int low, int high) : low(low), high(high) {}
  __device__ int width() const { return high - low; }
  __device__ int clamped(const int &v) const { return v < low ? low : v; }
};

__global__ void object_without_a_name(int n) {
  if (Limits(n, n + 2).width() > 1)
    __syncthreads();
  if (Limits(n, threadIdx.x).width() > 1)
    __syncthreads(); //~ error[divergent-barrier]
  if (Limits(n, 3).clamped(n + 1) > 1)
    __syncthreads();
  if (Limits(n, 3).clamped(threadIdx.x + 1) > 1)
    __syncthreads(); //~ error[divergent-barrier]
}

// A method that returns a reference: a write to the result changes the object.
struct Cells {
  int first, second;
  __device__ int &at(int index) { if (index & 1) return second; return first; }
};

__global__ void write_to_a_returned_reference(int *p, int n) {
  Cells cells = {n, n};
  if (cells.first > 3)
    __syncthreads();
  cells.at(n) = threadIdx.x;
  if (cells.first > 3)
    __syncthreads(); //~ error[divergent-barrier]
  Cells others = {n, n};
  others.at(n) = n + 1;
  if (others.first > 3)
    __syncthreads();
}
