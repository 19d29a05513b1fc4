// What a function is given, and what that leads to: parameters of types that nothing declares, pointers in them, references, null.

template <typename Params> __global__ void pointers_in_a_parameter(const Params params) {
  int *first = params.first;
  float *out = params.out;
  for (int w = first[blockIdx.x]; w < first[blockIdx.x + 1]; ++w) {
    __syncthreads();
    out[w] = threadIdx.x;
  }
}

template <typename Params> __global__ void one_pointer_in_a_parameter(const Params params) {
  int *first = params.first;
  for (int w = first[blockIdx.x]; w < first[blockIdx.x + 1]; ++w) {
    __syncthreads();  //~ warning[divergent-barrier]: `first[blockIdx.x + 1]`
    first[w] = threadIdx.x;
  }
}

template <typename Params> __device__ void of_a_reference(const Params &params, int n) {
  if (threadIdx.x == 0) params.state[0] = n;
  if (params.count > n)
    __syncthreads();
}
template <typename Params> __global__ void given_by_reference(const Params params, int n) { of_a_reference(params, n); }

template <typename T> __global__ void asked_for_its_size(Tensor<T, 2> in, int *out) {
  for (int i = 0; i < in.size(0); ++i) {
    __syncthreads();
    if (threadIdx.x < in.size(1)) out[i] = in.size(1);
  }
}

template <typename T> __global__ void stepped_by_some(Tensor<T, 2> in, int *out) {
  for (int i = 0; i < in.size(0); ++i) {
    __syncthreads();  //~ warning[divergent-barrier]: `threadIdx.x`
    if (threadIdx.x < 3) in.next(i);
  }
}

__device__ int keep(int seed, int *where) {
  if (threadIdx.x == 0 && where != nullptr) where[0] = seed;
  __syncthreads();
  return seed;
}
__global__ void given_null(const int *degrees, int *mask, int n) {
  for (int i = blockIdx.x; i < n; i += gridDim.x)
    if (degrees[i] > 3) keep(i, nullptr);
}

__device__ void step(float x, float &sum, float *buffer, float u) {
  buffer[threadIdx.x] = x;
  if (sum > u)
    __syncthreads();
  sum += 0.5f;
}
__global__ void a_reference_and_a_pointer(const float *v, float u) {
  __shared__ float buffer[128];
  float sum = 0;
  for (int i = 0; i < 9; ++i) step(v[threadIdx.x], sum, buffer, u);
}

__device__ void add(int &to, int &from) {
  to = threadIdx.x;
  if (from > 3)
    __syncthreads();  //~ warning[divergent-barrier]: `from`
}
__global__ void one_variable_by_two_references(int n) { add(n, n); }

struct walker {
  int *out;
  int count;
  __device__ void run(int n) {
    for (int i = 0; i < count; ++i) {
      __syncthreads();
      out[i * n] = threadIdx.x;
    }
  }
};
__global__ void what_an_object_leads_to_is_not_the_object(int *out, int n) {
  walker it{out, n};
  it.run(n);
}
