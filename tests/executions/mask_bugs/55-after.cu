// kokkos/kokkos, 2fffee766, core/src/Cuda/Kokkos_Cuda_Parallel.hpp:2206 (state after the fix)
__global__ void scan_with_total(const int *in, int *out, int *total, int n, int words) {
  __shared__ int accum[64], data[64];
  if (threadIdx.y < words) accum[threadIdx.y] = 0;
  for (int base = 0; base < n; base += blockDim.y) {
    unsigned MASK = __activemask();
    __syncthreads();
    for (unsigned i = threadIdx.y; i < words; ++i) data[i + words] = data[i] = accum[i];
    __syncwarp(MASK);
    if (32 < words) __syncthreads();
    int i = base + threadIdx.y;
    if (i < n) out[i] = data[words] + in[i];
    __syncthreads();
    if (i == n - 1) *total = accum[0] = data[0] + in[i];
  }
}
