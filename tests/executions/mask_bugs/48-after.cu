// glotzerlab/hoomd-blue, b7e463efc, libhoomd/cuda/PotentialPairGPU.cuh:83 (and the read of shared[0]) (state after the fix)
__device__ float warp_reduce(unsigned NT, int tid, float x, volatile float *shared) {
  for (int d = NT / 2; d >= 1; d /= 2) x += __shfl_down(x, d, NT);
  return __shfl(x, 0, NT);
}
__global__ void pair_forces(const float *f, float *out) {
  __shared__ float sh[256];
  int tpp = 8, cta = threadIdx.x / tpp * tpp;
  float x = warp_reduce(tpp, threadIdx.x % tpp, f[threadIdx.x], sh + cta);
  if (threadIdx.x % tpp == 0) out[threadIdx.x / tpp] = x;
}
