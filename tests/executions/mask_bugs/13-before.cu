// kokkos/kokkos, 7d187d12b, core/src/Cuda/Kokkos_Cuda_Team.hpp:356, 365 (state before the fix)
__device__ void vector_reduce(int &v) {
  for (int i = blockDim.x; (i >>= 1);) {
    int t = __shfl_down_sync(0xffffffff, v, i, blockDim.x); // BUG: full-mask-in-divergent-flow
    if ((int)threadIdx.x < i) v += t;
  }
  v = __shfl_sync(0xffffffff, v, 0, blockDim.x);
}
__global__ void team_kernel(int *data, const int *count) {
  for (int k = 0; k < count[threadIdx.y]; ++k) {
    int v = data[k * blockDim.x + threadIdx.x];
    vector_reduce(v);
    if (threadIdx.x == 0) data[threadIdx.y] = v;
  }
}
