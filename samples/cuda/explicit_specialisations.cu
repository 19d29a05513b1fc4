// An explicit specialisation is called for its own arguments only. A template whose arguments a call does not determine
// is not called.

template <int N> __device__ int of_number() { return 0; }
template <> __device__ int of_number<1>() { return threadIdx.x; }
template <> __device__ int of_number<2>() { return 2; }

__global__ void numbers() {
  if (of_number<1>())
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  if (of_number<2>())
    __syncthreads();
  if (of_number<3>())
    __syncthreads();
}

template <class T> __device__ int of_type(int x) { return threadIdx.x; }
template <> __device__ int of_type<float>(int x) { return x; }

__global__ void types() {
  if (of_type<float>(1))
    __syncthreads();
  if (of_type<double>(1))
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

struct tile {
  template <int N> __device__ int size() { return 0; }
};
template <> __device__ int tile::size<2>() { return threadIdx.x; }
template <> __device__ int tile::size<3>() { return 3; }

__global__ void methods() {
  tile t;
  if (t.size<1>())
    __syncthreads();
  if (t.size<2>())
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  if (t.size<3>())
    __syncthreads();
}

template <class T> struct row {
  __device__ int size() { return threadIdx.x; }
};
template <> __device__ int row<float>::size() { return 1; }

__global__ void methods_of_an_instance() {
  row<int> ints;
  row<float> floats;
  if (ints.size())
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  if (floats.size())
    __syncthreads();
}

__device__ int width() { return 32; }
template <int N> __device__ int width() { return threadIdx.x; }
template <class T> __device__ int height(T x) { return threadIdx.x; }
__device__ int height(int x) { return x; }

struct tiling {
  static __device__ long long rows() { return 32; }
  template <long long N> static __device__ long long rows() { return threadIdx.x; }
};

__global__ void plain_and_template(int n) {
  if (width())
    __syncthreads();
  if (width<4>())
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  if (height(1))
    __syncthreads();
  if (height(1.0f))
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  if (height<int>(1))
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  if (tiling::rows() < n)
    __syncthreads();
  if (tiling::rows<3>() < n)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}
