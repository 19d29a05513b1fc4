// An overload is selected by the types of the arguments. All memory is generic: arrays in constant and shared memory are pointers like any other.
__constant__ float weights[4];
__device__ float blend(const float *all) {
  __syncthreads();
  return all[0];
}
__device__ float blend(float one) { return one; }

__global__ void of_constant_memory(float *p) {
  if (threadIdx.x < 8)
    p[threadIdx.x] = blend(weights); //~ error[divergent-barrier]
}

__global__ void of_shared_memory(float *p) {
  __shared__ float tile[4];
  if (threadIdx.x < 8)
    p[threadIdx.x] = blend(tile); //~ error[divergent-barrier]
}

__global__ void of_a_number(float *p) {
  if (threadIdx.x < 8)
    p[threadIdx.x] = blend(weights[0]);
}

__device__ void tell(const char *text) { __syncthreads(); }
__device__ void tell(int number) {}

__global__ void of_text(int n) {
  if (threadIdx.x < 8)
    tell("text"); //~ error[divergent-barrier]
  if (threadIdx.x < 8)
    tell('t');
}
