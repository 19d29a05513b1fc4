// kokkos/kokkos, 4d4a343e5, core/src/Cuda/Kokkos_Cuda_Parallel_Range.hpp:249 (state before the fix)
__global__ void finalize(float *global, int words) {
  __shared__ float shared[64];
  if (threadIdx.y == 0)
    for (int i = 0; i < words; ++i) shared[i] = global[i] * 0.5f;
  if (32 < words) {
    __syncthreads();
  }
  for (unsigned i = threadIdx.y; i < words; i += blockDim.y) global[i] = shared[i]; // BUG: implicit-warp-synchronous
}
