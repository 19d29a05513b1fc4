// kokkos/kokkos, 87415792f, core/src/Cuda/Kokkos_Cuda_ReduceScan.hpp:544 (state before the fix)
__device__ void intra_warp_reduction(float *value, int width) {
  unsigned mask = width == 32 ? 0xffffffff : ((1 << width) - 1) << ((threadIdx.y * blockDim.x + threadIdx.x) / width) * width;
  int lane_id = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
  for (int delta = 1; delta < width; delta *= 2) {
    if (lane_id + delta < 32) *value += *(value + delta); // BUG: implicit-warp-synchronous
    __syncwarp(mask);
  }
}
__global__ void reduce(const float *in, float *out) {
  __shared__ float s[64];
  s[threadIdx.y] = in[threadIdx.y];
  intra_warp_reduction(s + threadIdx.y, 32);
  if (threadIdx.y == 0) out[0] = s[0];
}
