// gromacs/gromacs, 97f9f399c1, src/gromacs/mdlib/nbnxn_cuda/nbnxn_cuda_kernel.cuh:359 to 372, 408 (state after the fix)
__global__ void nonbonded(const int *list, const float *q, float *f, const unsigned *imask, int n) {
  __shared__ int cjs[8];
  int tidxi = threadIdx.x, tidxj = threadIdx.y;
  for (int j4 = 0; j4 < n; j4++) {
    unsigned mask = __ballot_sync(0xffffffff, imask[j4]);
    if (imask[j4]) {
      if ((tidxj == 0 || tidxj == 4) && tidxi < 4) cjs[tidxi + tidxj] = list[j4 * 4 + tidxi];
      __syncwarp(mask);
      float e = q[cjs[tidxj & 4] * 8 + tidxj];
      e += __shfl_down_sync(mask, e, 8);
      if (!__any_sync(mask, e > 0.0f)) e = 0.0f;
      if (tidxj == 0) f[tidxi] += e;
    }
  }
}
