// What templates are given is the same for all threads: values, types, and what static functions of types yield. Which specialisation a name means follows
// from its arguments; where it does not, a call runs what all of them run.

template <class Condition>
__global__ void of_a_given_type(int *out) {
  if (Condition::matches())
    __syncthreads();
  if constexpr (Condition::template holds<3>())
    __syncthreads();
  if (Condition::of(threadIdx.x))
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
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
    d[w] = s.all(d[w]);
}

__global__ void several_warps(float *d) {
  sum<float, 4, 2> s;
  for (int w = threadIdx.x / 32; w < 32; w += 3)
    d[w] = s.all(d[w]);  //~ error[divergent-barrier]: `w`
}

using warp_sum = sum<float, 1, 1>;

__global__ void by_another_name(float *d) {
  warp_sum s;
  if (threadIdx.x < 32)
    d[0] = s.all(d[threadIdx.x]);
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
