// Pointers in records: in shared memory, in parameters, in objects with methods.
struct view {
  int *data;
  int *out;
  int length;
};

__global__ void in_shared_memory(int *a, int *out) {
  __shared__ view v;
  if (threadIdx.x == 0)
    v.data = a;
  __syncthreads();
  if (v.data[3] > 0)
    __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void memory_that_is_written(int *a, int *out) {
  __shared__ view v;
  if (threadIdx.x == 0)
    v.data = a;
  __syncthreads();
  a[threadIdx.x] = 1;
  if (v.data[3] > 0)
    __syncthreads();  //~ warning[divergent-barrier]: `v.data[3]`
  out[threadIdx.x] = 1;
}

__global__ void written_through_the_record(int *a, int *out) {
  __shared__ view v;
  if (threadIdx.x == 0) {
    v.data = a;
    v.out = out;
  }
  __syncthreads();
  v.out[threadIdx.x] = 1;
  if (v.data[3] > 0)
    __syncthreads();
}

// The memory that is written is one of two where the pointer can point.
__global__ void one_of_two(int *a, int *b, int n) {
  __shared__ view v;
  if (threadIdx.x == 0) {
    v.data = a;
    if (n > 2)
      v.data = b;
  }
  __syncthreads();
  b[threadIdx.x] = 1;
  if (v.data[3] > 0)
    __syncthreads();  //~ note[possible-divergence]: `v.data[3]`
}

__global__ void at_the_id(int *a) {
  __shared__ view v;
  if (threadIdx.x == 0)
    v.data = a;
  __syncthreads();
  if (v.data[threadIdx.x] > 0)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__device__ void set_up(view *v);

__global__ void pointer_of_an_unknown_function(int *a) {
  view v;
  v.data = a;
  set_up(&v);
  if (v.data[3] > 0)
    __syncthreads();  //~ note[possible-divergence]: `v.data[3]`
}

template <class T>
struct span {
  T *data;
  int length;
  __device__ span(T *p, int n) : data(p), length(n) {}
  __device__ T &operator[](int i) const { return data[i]; }
};

__global__ void object(span<int> a, int *out) {
  if (a[3] > 0)
    __syncthreads();
  out[threadIdx.x] = 1;
}
