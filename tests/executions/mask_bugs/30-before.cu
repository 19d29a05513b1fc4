// glotzerlab/hoomd-blue, c3d394971, libhoomd/cuda/PotentialPairGPU.cuh:162 (state before the fix)
__device__ float warp_reduce(unsigned NT, float x) {
  for (int d = NT / 2; d >= 1; d /= 2)
    x = __shfl_down(x, d); // BUG: shuffle-width
  return x;
}
__global__ void pair_forces(const float *f, float *out, unsigned tpp) {
  float x = warp_reduce(tpp, f[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x % tpp == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / tpp] = x;
}
