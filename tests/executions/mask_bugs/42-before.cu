// gromacs/gromacs, 525e24eee5, src/gromacs/ewald/pme-gather.cu:113-137, 380 ("No sync here") (state before the fix)
__global__ void gather(const float *in, float *out) {
  __shared__ float sm_forces[96];
  float fx = in[threadIdx.x];
  fx += __shfl_down(fx, 1, 16); // BUG: legacy-warp-intrinsic
  fx += __shfl_down(fx, 2, 16);
  if (threadIdx.x < 2) {
    sm_forces[threadIdx.x * 3] = fx;
    sm_forces[threadIdx.x * 3 + 1] = 2.0f * fx;
    sm_forces[threadIdx.x * 3 + 2] = 3.0f * fx;
  }
  if (threadIdx.x < 6) out[threadIdx.x] = sm_forces[threadIdx.x];
}
