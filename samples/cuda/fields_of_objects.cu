// Constructors and methods: each field has its own contents.
struct counter {
  int limit;
  int at;
  __device__ counter(int n, int first) : limit(n), at(first) {}
  __device__ bool has_limit() const { return limit > 3; }
  __device__ bool is_done() const { return at > limit; }
  __device__ void next(int step) { at += step; }
};

__global__ void field_of_the_launch(int n) {
  counter c(n, threadIdx.x);
  if (c.has_limit())
    __syncthreads();
}

__global__ void field_of_the_thread(int n) {
  counter c(n, threadIdx.x);
  if (c.is_done())
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void changed_by_a_method(int n) {
  counter c(n, 0);
  c.next(threadIdx.x);
  if (c.has_limit())
    __syncthreads();
  if (c.is_done())
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void changed_to_a_uniform_value(int n) {
  counter c(n, 0);
  c.next(4);
  if (c.is_done())
    __syncthreads();
}

// Initialisers of constant members.
template <int N>
struct agent {
  const int first;
  const unsigned end;
  const int thread;
  const int sum;
  __device__ agent(int at, const unsigned *ends) : first(at), end(ends[at]), thread(threadIdx.x), sum(reduce()) {}
  __device__ int reduce() { return threadIdx.x; }
  __device__ void over_the_feature() {
    for (unsigned i = first; i < end; i += N)
      __syncthreads();
  }
  __device__ void of_the_thread() {
    if (thread < 4)
      __syncthreads();  //~ error[divergent-barrier]
    if (sum < 4)
      __syncthreads();  //~ error[divergent-barrier]
  }
};

template <int N>
__global__ void constant_members(const unsigned *ends) {
  agent<N> it(blockIdx.x, ends);
  it.over_the_feature();
  it.of_the_thread();
}

// An object without constructors: each value in braces initialises one field.
struct pair_of_numbers {
  int of_launch;
  int of_thread;
};

__global__ void in_braces(int n) {
  pair_of_numbers p = pair_of_numbers{n, (int)threadIdx.x};
  if (p.of_launch > 3)
    __syncthreads();
  if (p.of_thread > 3)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__device__ pair_of_numbers in_a_result(int n) { return pair_of_numbers{n, (int)threadIdx.x}; }

__global__ void from_a_result(int n) {
  if (in_a_result(n).of_launch > 3)
    __syncthreads();
  if (in_a_result(n).of_thread > 3)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}
