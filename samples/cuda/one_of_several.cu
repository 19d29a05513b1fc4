// Where types do not choose one of several functions, the call is one of those that its name or its object leaves, and of no other.
namespace quiet {
__device__ void put(int *p, int v) { p[0] = v; }
__device__ void put(int *p, float v) { p[0] = 1; }
}
namespace loud {
__device__ void put(int *p, int v) { __syncthreads(); }
__device__ void put(int *p, float v) { __syncthreads(); }
}
struct quiet_box {
  int held;
  __device__ void put(int v) { held = v; }
  __device__ void put(float v) { held = 1; }
};
struct loud_box {
  int held;
  __device__ void put(int v) { __syncthreads(); }
  __device__ void put(float v) { __syncthreads(); }
};

template <typename T> __global__ void of_a_namespace(int *p, T v) {
  // No execution shows it: the type of an argument is unknown.
  if (threadIdx.x < 3)
    quiet::put(p, v);
  if (threadIdx.x < 3)
    loud::put(p, v); //~ error[divergent-barrier]
}

template <typename T> __global__ void of_an_object(int *p, T v) {
  // No execution shows it: the type of an argument is unknown.
  quiet_box a;
  loud_box b;
  if (threadIdx.x < 3)
    a.put(v);
  if (threadIdx.x < 3)
    b.put(v); //~ error[divergent-barrier]
}
