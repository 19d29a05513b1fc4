// Several arrays share the shared memory of a block. Where one begins, a function tells, whatever its name is.
extern __shared__ int s[];
__device__ int get_offset(int n);
__device__ int fetch_offset(int n);
__device__ int get_part(int n) { return n * 2; }
__device__ int part_of(int n) { return n + (int)threadIdx.x; }

// `s[0]` is of the first array, and the stores are not: all threads read the same.
__global__ void declared(int n) {
  if (threadIdx.x == 0) s[0] = n;
  __syncthreads();
  s[get_offset(n) + threadIdx.x] = threadIdx.x;
  if (s[0] > 3) __syncthreads();
}
__global__ void declared_by_another_name(int n) {
  if (threadIdx.x == 0) s[0] = n;
  __syncthreads();
  s[fetch_offset(n) + threadIdx.x] = threadIdx.x;
  if (s[0] > 3) __syncthreads();
}
__global__ void defined(int n) {
  if (threadIdx.x == 0) s[0] = n;
  __syncthreads();
  s[get_part(n) + threadIdx.x] = threadIdx.x;
  if (s[0] > 3) __syncthreads();
}

// What differs between threads tells no array: with `n` of 0, thread 0 writes `s[0]`, and others may have read it before.
__global__ void by_thread(int n) {
  if (threadIdx.x == 0) s[0] = n;
  __syncthreads();
  s[part_of(n)] = threadIdx.x;
  if (s[0] > 3) __syncthreads(); //~ warning[divergent-barrier]
}
__global__ void own(int n) {
  if (threadIdx.x == 0) s[0] = n;
  __syncthreads();
  s[threadIdx.x] = threadIdx.x + 9;
  if (s[0] > 3) __syncthreads(); //~ warning[divergent-barrier] //~ warning[implicit-warp-synchronous]: `s[0]`
}
