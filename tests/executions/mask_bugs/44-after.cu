// gromacs/gromacs, f7a0391eac, src/gromacs/ewald/pme_gather.cu:192 to 201 (and 152-171 between two warps) (state after the fix)
__global__ void reduce_forces(float *sm_in, float *out) {
  __shared__ float sm[64];
  int i = threadIdx.x;
  sm[i] = sm_in[i];
  __syncwarp();
  for (int stride = 8; stride > 1; stride >>= 1) {
    if (i < stride) sm[i] += sm[i + stride];
    __syncwarp();
  }
  if (i < 2) sm[i] *= 0.5f;
  __syncwarp();
  if (i == 0) out[0] = sm[i] + sm[i + 1];
}
