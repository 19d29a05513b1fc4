// What templates are given is the same for all threads: values, types, and what static functions of types yield. Which specialisation a name means follows
// from its arguments; where it does not, a call runs what all of them run.

template <class Condition>
__global__ void of_a_given_type(int *out) {
  if (Condition::matches())
    __syncthreads();
  if constexpr (Condition::template holds<3>())
    __syncthreads();
  if (Condition::of(threadIdx.x))
    __syncthreads();  //~ warning[divergent-barrier]: `threadIdx.x`
}

__global__ void constants() {
  if constexpr (settings::chosen() > 2)
    __syncthreads();
}

template <class T, int M, int N> struct sum;

template <class T, int M> struct sum<T, M, 1> {
  __device__ T all(T x) { return x + __shfl_xor_sync(~0u, x, 1); }
};

template <class T, int M, int N> struct sum {
  T *part;
  __device__ T all(T x) {
    part[threadIdx.x / 32] = x;
    __syncthreads();
    return part[0];
  }
};

__global__ void one_warp(float *d) {
  sum<float, 4, 1> s;
  for (int w = threadIdx.x / 32; w < 32; w += 3)
    d[w] = s.all(d[w]); //~ warning[implicit-warp-synchronous]: `d[w]`
}

__global__ void several_warps(float *d) {
  // No execution shows it: the class is a template.
  sum<float, 4, 2> s;
  for (int w = threadIdx.x / 32; w < 32; w += 3)
    d[w] = s.all(d[w]);  //~ error[divergent-barrier]: `w`
}

using warp_sum = sum<float, 1, 1>;

__global__ void by_another_name(float *d) {
  warp_sum s;
  if (threadIdx.x < 32)
    d[0] = s.all(d[threadIdx.x]); //~ warning[implicit-warp-synchronous]: `d[threadIdx.x]`
}

// Either may be meant: not all wait for the block.
template <class Traits>
__global__ void of_traits(float *d) {
  using chosen = typename Traits::sum;
  chosen s;
  if (threadIdx.x < 32)
    d[0] = s.all(d[threadIdx.x]);
}

template <class T> struct fence;
template <> struct fence<float> {
  __device__ static void wait() { __syncthreads(); }
};
template <> struct fence<double> {
  __device__ static void wait() {}
};

__global__ void statics() {
  if (threadIdx.x == 0)
    fence<double>::wait();
  if (threadIdx.x == 0)
    fence<float>::wait();  //~ error[divergent-barrier]: `threadIdx.x`
}

// A number that a template is given is one number: bounds that it rounds are multiples of it.
template <int THREADS>
__global__ void rounded_by_what_is_given(const int *in, int n) {
  const int end = THREADS * ((n + THREADS - 1) / THREADS);
  int sum = 0;
  for (int i = threadIdx.x; i < end; i += THREADS) {
    sum += i < n ? in[i] : 0;
    __syncthreads();
  }
}

template <int THREADS>
__global__ void not_rounded(const int *in, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += THREADS) {
    sum += in[i];
    __syncthreads();  //~ error[divergent-barrier]: `i`
  }
}

template <int THREADS, int STEP>
__global__ void rounded_by_another(const int *in, int n) {
  const int end = STEP * ((n + STEP - 1) / STEP);
  int sum = 0;
  for (int i = threadIdx.x; i < end; i += THREADS) {
    sum += i < n ? in[i] : 0;
    __syncthreads();  //~ error[divergent-barrier]: `i`
  }
}

// It is no place: what takes it by reference does not change it.
template <typename T> __device__ T quotient(const T &a, const T &b) { return (a + b - 1) / b; }
template <unsigned TILE>
__global__ void given_by_reference(unsigned n) {
  constexpr unsigned step = TILE * 2;
  for (unsigned i = 0; i < quotient(n, step); ++i)
    __syncthreads();
}

// Ids that a helper gives are ids: what is taken from them again no longer counts.
__device__ static long global_id() { return long{threadIdx.x} + long{blockDim.x} * long{blockIdx.x}; }
__device__ static long first_of_block() { return global_id() - threadIdx.x; }
template <typename Set>
__global__ void all_of_a_block(Set set) {
  auto const n = set.size();
  long i = global_id();
  while (i - threadIdx.x < n) {
    __syncthreads();
    i += gridDim.x * blockDim.x;
  }
  if (first_of_block() < n)
    __syncthreads();
}

template <typename Set>
__global__ void some_of_a_block(Set set) {
  auto const n = set.size();
  long i = global_id();
  while (i < n) {
    __syncthreads();  //~ error[divergent-barrier]: `i`
    i += gridDim.x * blockDim.x;
  }
}

__device__ static int half_id() { return blockDim.x * blockIdx.x + threadIdx.x / 2; }
__global__ void another_share(int n) {
  if (half_id() - (int)threadIdx.x < n)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__device__ static int of_data(const int *p) { return p[threadIdx.x] + threadIdx.x; }
__global__ void what_is_left_differs(const int *p, int n) {
  if (of_data(p) - (int)threadIdx.x < n)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

// A function that calls itself has no ids that callers know.
__device__ static int around(int n) { return n > 0 ? around(n - 1) + threadIdx.x : threadIdx.x; }
__global__ void of_recursion(int n) {
  if (around(n) - (int)threadIdx.x < n)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}
