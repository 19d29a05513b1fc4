// kokkos/kokkos, de14d66b5, core/src/Cuda/Kokkos_Cuda_Team.hpp:956, 964 (state after the fix)
template <class F> __device__ void single(F f) {
  if (threadIdx.x == 0) f();
  unsigned mask = blockDim.x == 32 ? 0xffffffff : ((1 << blockDim.x) - 1) << (threadIdx.y % (32 / blockDim.x)) * blockDim.x;
  __syncwarp(mask);
}
__global__ void team(const float *in, float *out) {
  __shared__ float scale[32];
  single([&] { scale[threadIdx.y] = in[threadIdx.y]; });
  out[threadIdx.y * blockDim.x + threadIdx.x] = scale[threadIdx.y];
}
