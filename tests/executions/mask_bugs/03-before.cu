// kokkos/kokkos, 08655d813, core/src/Cuda/Kokkos_Cuda_ReduceScan.hpp:581, 686 (state before the fix)
__device__ void scalar_intra_warp_reduction(int &value, int width) {
  unsigned mask = width == 32 ? 0xffffffff : ((1 << width) - 1) << ((threadIdx.y * blockDim.x + threadIdx.x) % (32 / width)) * width;
  for (int delta = 1; delta < width; delta *= 2) {
    int tmp = __shfl_down_sync(mask, value, delta, width); // BUG: wrong-mask-constant
    value += tmp;
  }
  value = __shfl_sync(mask, value, 0, width);
}
__global__ void reduce(int *out, const int *in) {
  int v = in[threadIdx.y * blockDim.x + threadIdx.x];
  scalar_intra_warp_reduction(v, 8);
  if (threadIdx.x % 8 == 0) atomicAdd(out, v);
}
