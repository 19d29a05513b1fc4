// A kernel template is analysed with the arguments of its launches.
template <class T, int N, bool B>
__global__ void decided_by_arguments(T *p) {
  int x = threadIdx.x;
  if constexpr (B)
    x = 0;
  if (x < N)
    __syncthreads();  //~ error[divergent-barrier]: depends on
  if constexpr (sizeof(T) == 8) {
    if (threadIdx.x > 4)
      __syncthreads();  //~ error[divergent-barrier]: depends on
  }
  if (threadIdx.x > 5)
    __syncthreads();  //~ error[divergent-barrier]: depends on `threadIdx.x`
}

enum { SIZE = 7 };

template <int M>
void run(float *p) {
  decided_by_arguments<float, M, true><<<1, 64>>>(p);
}

void first() {
  decided_by_arguments<float, 4, true><<<1, 64>>>(nullptr);
  decided_by_arguments<double, SIZE, false><<<1, 64>>>(nullptr);
}

// No launch has the argument for which the barrier is divergent.
template <int BLOCK>
__global__ void no_instantiation_has_it(int *p) {
  int t = threadIdx.x;
  if (BLOCK > 512 && t < 256)
    __syncthreads();
  p[t] = 1;
}

void second(int n) {
  const int small = 128;
  switch (n) {
    case 512:
      no_instantiation_has_it<512><<<1, 512>>>(nullptr);
    case 256:
      no_instantiation_has_it<256><<<1, 256>>>(nullptr);
    case 128:
      no_instantiation_has_it<small><<<1, small>>>(nullptr);
  }
}

// One launch does not say what the arguments are.
template <int BLOCK>
__global__ void argument_of_one_launch_is_unknown(int *p) {
  // No execution shows it: the template argument is unknown.
  if (BLOCK > 512 && threadIdx.x < 256)
    __syncthreads();  //~ error[divergent-barrier]: depends on `threadIdx.x`
}

template <int M>
void third(int *p) {
  argument_of_one_launch_is_unknown<M><<<1, 64>>>(p);
  argument_of_one_launch_is_unknown<64><<<1, 64>>>(p);
}

// Two kernels have the name, and the launch can mean either.
namespace first_of_two {
template <int N>
__global__ void same_name(int *p) {
  // No execution shows it: the template argument is unknown.
  if (N > 512 && threadIdx.x < 256)
    __syncthreads();  //~ error[divergent-barrier]: depends on `threadIdx.x`
}
}
namespace second_of_two {
template <int N>
__global__ void same_name(int *p) {
  // No execution shows it: the finding is about the kernel with the same name.
  p[threadIdx.x] = N;
}
void fifth(int *p) { same_name<4><<<1, 64>>>(p); }
}

// An explicit instantiation has arguments like a launch.
template <typename T, int N> __global__ void instantiated(T *p) {
  if constexpr (N == 4) {
    if (threadIdx.x < 3)
      __syncthreads(); //~ error[divergent-barrier]
  }
  if (N == 16 && threadIdx.x < 3)
    __syncthreads();
  if (sizeof(T) == 8 && threadIdx.x < 3)
    __syncthreads(); //~ error[divergent-barrier]
  p[threadIdx.x] = N;
}
template __global__ void instantiated<float, 4>(float *p);
template __global__ void instantiated<double, 8>(double *);
