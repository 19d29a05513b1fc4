// gromacs/gromacs, c3c591bd71, src/gromacs/mdlib/lincs_gpu.cu:386 (also settle_gpu.cu:351) (state before the fix)
__global__ void virial(const float *in, float *out) {
  __shared__ float sm[256];
  sm[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int divideBy = 2; divideBy <= (int)blockDim.x; divideBy *= 2) {
    int dividedAt = blockDim.x / divideBy;
    if ((int)threadIdx.x < dividedAt) sm[threadIdx.x] += sm[threadIdx.x + dividedAt]; // BUG: implicit-warp-synchronous
    if (dividedAt > warpSize / 2) {
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) atomicAdd(out, sm[0]);
}
