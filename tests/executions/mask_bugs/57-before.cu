// kokkos/kokkos, 57126af31, core/src/Cuda/Kokkos_Cuda_Parallel_MDRange.hpp:314 (also Kokkos_Cuda_Parallel_Team.hpp:770) (state before the fix)
__global__ void finalize_team(double *global, int words) {
  __shared__ double shared[64];
  if (threadIdx.y == 0)
    for (int i = 0; i < words; ++i) shared[i] = global[i] + 1.0;
  if (32 < words) {
    __syncthreads();
  }
  for (unsigned i = threadIdx.y; i < words; i += blockDim.y) global[i] = shared[i]; // BUG: implicit-warp-synchronous
}
