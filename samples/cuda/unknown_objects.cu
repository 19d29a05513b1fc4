// An object of an unknown type is of none of the classes here that can be called, nor of the class around: taken not to wait.
#include "tensors.h" //~ note[missing-include]

struct Kernel {
  template <class P> __device__ void operator()(P p, char *memory) {
    auto t = make_tensor(p);
    for (int i = threadIdx.x; i < 4; i += 32)
      t(i) = t(i, 0);
    __syncthreads();
  }
};

__global__ void k(float *p, char *memory) {
  auto tile = make_tensor(p);
  if (threadIdx.x < 5)
    tile(threadIdx.x, 0) = 0;
  Kernel g;
  g(p, memory);
  if (threadIdx.x < 5)
    g(p, memory); //~ error[divergent-barrier]
}

// One of several that it may be does not wait.
template <class P> struct Alone {
  __device__ float reduce(float x) { return x; }
};
template <class P> struct Together {
  __device__ float reduce(float x) {
    __syncthreads();
    return x;
  }
};
template <class K> __global__ void one_of(float *p) {
  typename K::Reducer r;
  for (int w = threadIdx.x / 32; w < 32; w += K::ROWS)
    p[w] = r.reduce(p[w]);
}

// With so many arguments it is none of these.
struct Log {
  __device__ void write(int a) { __syncthreads(); }
};
__global__ void counted(float *p) {
  auto sink = make_sink(p);
  if (threadIdx.x < 5)
    sink.write(1, 2);
}

// A missing header may have short names for namespaces. `this_thread_block` tells which one this is.
__global__ void in_a_namespace_with_a_short_name() {
  auto block = groups::this_thread_block(); //~ note[assumed-from-name]: the namespace of `cooperative_groups::this_thread_block`
  if (threadIdx.x == 0)
    block.sync();  //~ error[divergent-barrier]: `threadIdx.x`
}
