// What a definition says counts, whatever its name is. Only where the definition is missing, the words of a name may imply something.
#include "helpers.h" //~ note[missing-include]
#include <cub/cub.cuh>

__device__ int pad_to(int n, int m) { return (n + m - 1) / m * m; }
__device__ int cut_to(int n, int m) { return n - n % m; }
__device__ int grow_to(int n, int m) { return n % m == 0 ? n : n + m - n % m; }
template <typename T> __device__ T fill_to(T n, T m) {
  T whole = (n + m - 1) / m;
  return whole * m;
}
__device__ int through(int n, int m) { return pad_to(n + 1, m); }

// Multiples of the size of the block: all threads have the same trip count.
__global__ void by_definition(int *p, int n) {
  for (int i = threadIdx.x; i < pad_to(n, blockDim.x); i += blockDim.x)
    __syncthreads();
  for (int i = threadIdx.x; i < cut_to(n, blockDim.x); i += blockDim.x)
    __syncthreads();
  for (int i = threadIdx.x; i < grow_to(n, blockDim.x); i += blockDim.x)
    __syncthreads();
  for (int i = threadIdx.x; i < fill_to<int>(n, blockDim.x); i += blockDim.x)
    __syncthreads();
  for (int i = threadIdx.x; i < through(n, blockDim.x); i += blockDim.x)
    __syncthreads();
}

__device__ int round_up(int n, int m) { return n; }
__device__ int nearly(int n, int m) { return (n + m - 1) / m * m + 1; }
__device__ int of_the_other(int n, int m) { return (n + m - 1) / m * n; }
__device__ int by_bits(int n, int m) { return (n + m - 1) & ~(m - 1); }

__global__ void no_multiples(int *p, int n) {
  for (int i = threadIdx.x; i < round_up(n, blockDim.x); i += blockDim.x)
    __syncthreads(); //~ error[divergent-barrier]
  for (int i = threadIdx.x; i < nearly(n, blockDim.x); i += blockDim.x)
    __syncthreads(); //~ error[divergent-barrier]
  for (int i = threadIdx.x; i < of_the_other(n, blockDim.x); i += blockDim.x)
    __syncthreads(); //~ error[divergent-barrier]
  // The size of the block need not be a power of two.
  for (int i = threadIdx.x; i < by_bits(n, blockDim.x); i += blockDim.x)
    __syncthreads(); //~ error[divergent-barrier]
  for (int i = threadIdx.x; i < by_bits(n, 128); i += 128)
    __syncthreads();
  for (int i = threadIdx.x; i < by_bits(n, 96); i += 96)
    __syncthreads(); //~ error[divergent-barrier]
}

// Without definitions, no name implies a multiple.
__global__ void by_name(int *p, int n) {
  for (int i = threadIdx.x; i < alignUp(n, blockDim.x); i += blockDim.x)
    __syncthreads(); //~ error[divergent-barrier]
  for (int i = threadIdx.x; i < enlarged(n, blockDim.x); i += blockDim.x)
    __syncthreads(); //~ error[divergent-barrier]
}

// A quotient times a size is a multiple of it, whoever computes the quotient.
__global__ void quotients(int *p, int n) {
  for (int i = threadIdx.x; i < ceil_quot(n, blockDim.x) * blockDim.x; i += blockDim.x)
    __syncthreads();
  for (int i = threadIdx.x; i < CEIL_DIV(n, blockDim.x) * blockDim.x; i += blockDim.x)
    __syncthreads();
  for (int i = threadIdx.x; i < CEIL_DIV(n, blockDim.x) * n; i += blockDim.x)
    __syncthreads(); //~ error[divergent-barrier]
}

// What counts threads is an integer, whatever its type is called.
template <typename size_type> __global__ void counted(int *p, size_type n) {
  for (size_type i = threadIdx.x; i - threadIdx.x < n; i += blockDim.x)
    __syncthreads();
  for (size_type i = threadIdx.x; i < n; i += blockDim.x)
    __syncthreads(); //~ error[divergent-barrier]
}
template <typename index_t> __global__ void counted_too(int *p, index_t n) {
  for (index_t i = threadIdx.x; i - threadIdx.x < n; ++i)
    __syncthreads();
  for (index_t i = threadIdx.x; i < n; ++i)
    __syncthreads(); //~ error[divergent-barrier]
}

// Half a warp is no warp, though the name of its size ends with the words for that of a warp.
__global__ void parts_of_warps(int *p) {
  __shared__ cub::WarpReduce<int>::TempStorage storage;
  if (threadIdx.x / WARP_SIZE == 1) //~ note[assumed-from-name]: the size of a warp
    p[0] = cub::WarpReduce<int>(storage).Sum(p[1]);
  if (threadIdx.x / HALF_WARP_SIZE == 1)
    p[0] = cub::WarpReduce<int>(storage).Sum(p[1]); //~ error[divergent-subgroup-operation]
}

// The number of threads of a logical warp, in each way to write it.
constexpr int W = 32;
__global__ void whole_warps(int *p) {
  __shared__ cub::WarpReduce<int>::TempStorage storage;
  if (threadIdx.x < 16)
    p[0] = cub::WarpReduce<int, 32>(storage).Sum(p[1]); //~ error[divergent-subgroup-operation]
  if (threadIdx.x < 16)
    p[0] = cub::WarpReduce<int, 0x20>(storage).Sum(p[1]); //~ error[divergent-subgroup-operation]
  if (threadIdx.x < 16)
    p[0] = cub::WarpReduce<int, W>(storage).Sum(p[1]); //~ error[divergent-subgroup-operation]
  if (threadIdx.x < 16)
    p[0] = cub::WarpReduce<int, 2 * 16>(storage).Sum(p[1]); //~ error[divergent-subgroup-operation]
  if (threadIdx.x < 16)
    p[0] = cub::WarpReduce<int, W / 2>(storage).Sum(p[1]);
}

// A method of an object of an unknown type is taken to only ask it, whatever its name is.
__global__ void next(Queue *in) {
  if (in->next())
    __syncthreads();
}
__global__ void take(Queue *in) {
  if (in->take())
    __syncthreads();
}
__global__ void include(Queue *in) {
  if (in->include())
    __syncthreads();
}
