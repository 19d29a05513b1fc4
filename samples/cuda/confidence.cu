// The confidence of a cause decides the severity of a finding (docs/cuda.md, Confidence).

__global__ void ids(int n) {
  if (threadIdx.x < n)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

// Each thread reads another element of memory that the kernel does not write.
__global__ void data_of_the_launch(const int *p) {
  if (p[threadIdx.x] > 0)
    __syncthreads();  //~ error[divergent-barrier]: `p[threadIdx.x]`
}

__global__ void write_by_other_threads(int *out) {
  __shared__ int s;
  if (threadIdx.x == 0)
    s = out[0];
  if (s > 0) //~ warning[implicit-warp-synchronous]: `s`
    __syncthreads();  //~ warning[divergent-barrier]: `s`
}

// `volatile` says that someone else writes the memory.
__global__ void volatile_read(volatile int *flag) {
  if (*flag)
    __syncthreads();  //~ warning[divergent-barrier]: `*flag`, a volatile read
}

__global__ void unknown_function_of_an_id() {
  if (unknown(threadIdx.x))  //~ note[undeclared-function]: `unknown`
    __syncthreads();  //~ warning[divergent-barrier]: `threadIdx.x`
}

__global__ void unknown_function() {
  if (unknown())
    __syncthreads();  //~ note[possible-divergence]: `unknown()`
}

__device__ int all_as_one(int x) { return unknown(); }

__global__ void unknown_function_in_a_callee() {
  if (all_as_one(threadIdx.x))
    __syncthreads();  //~ note[possible-divergence]: `unknown()`
}

// Of several causes, the most certain one decides.
__global__ void certain_and_possible(int n) {
  int i = unknown();
  if (i > 0)
    i = threadIdx.x;
  if (i < n)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__device__ void waits_if(int c) {
  if (c)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

// Of several callers, too.
__global__ void two_callers(int n) {
  waits_if(unknown());
  waits_if(n + threadIdx.x);
}

__global__ void shuffle_of_a_possible_value(int *out) {
  int x = __shfl_sync(0xffffffff, unknown(), 0);
  if (x > 0)
    __syncthreads();  //~ note[possible-divergence]
  out[threadIdx.x] = x;
}
