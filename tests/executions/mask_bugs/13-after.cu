// kokkos/kokkos, 7d187d12b, core/src/Cuda/Kokkos_Cuda_Team.hpp:356, 365 (state after the fix)
__device__ void vector_reduce(int &v) {
  unsigned mask = blockDim.x == 32 ? 0xffffffff : ((1 << blockDim.x) - 1) << (threadIdx.y % (32 / blockDim.x)) * blockDim.x;
  for (int i = blockDim.x; (i >>= 1);) {
    int t = __shfl_down_sync(mask, v, i, blockDim.x);
    if ((int)threadIdx.x < i) v += t;
  }
  v = __shfl_sync(mask, v, 0, blockDim.x);
}
__global__ void team_kernel(int *data, const int *count) {
  for (int k = 0; k < count[threadIdx.y]; ++k) {
    int v = data[k * blockDim.x + threadIdx.x];
    vector_reduce(v);
    if (threadIdx.x == 0) data[threadIdx.y] = v;
  }
}
