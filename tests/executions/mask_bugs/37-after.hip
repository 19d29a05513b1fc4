// gromacs/gromacs, 54d0000f2e, src/gromacs/nbnxm/hip/nbnxm_hip_kernel_body.h:537-543 (state after the fix)
__device__ float row_bcast15(float); __device__ float row_bcast31(float);
template <int ListWidth, int WaveWidth> __device__ float reduceEnergy(float e) {
  for (int d = 1; d < 16; d *= 2) e += __shfl_up(e, d, 16);
  if constexpr (WaveWidth == 64) {
    e += row_bcast15(e);
    if constexpr (ListWidth == 64) e += row_bcast31(e);
  } else {
    e += __shfl(e, 15);
  }
  return e;
}
__global__ void energy(float *e) { e[threadIdx.x] = reduceEnergy<32, 64>(e[threadIdx.x]); }
