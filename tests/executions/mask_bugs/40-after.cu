// gromacs/gromacs, a8d7fb4e13, src/gromacs/mdlib/nbnxn_cuda/nbnxn_cuda_kernel_pruneonly.cuh:189 to 199, 222, 228 (state after the fix)
__global__ void prune(const int *cj_list, const float *x, unsigned *imask, int n) {
  __shared__ int cjs[8];
  int tidxi = threadIdx.x, tidxj = threadIdx.y;
  for (int j4 = 0; j4 < n; j4++) {
    if ((tidxj == 0 || tidxj == 4) && tidxi < 4) cjs[tidxi + tidxj] = cj_list[j4 * 4 + tidxi];
    __syncwarp();
    unsigned m = 0;
    for (int jm = 0; jm < 4; jm++) {
      int cj = cjs[jm + (tidxj & 4)];
      float r2 = x[cj * 8 + tidxj] - x[tidxi];
      if (__any_sync(0xffffffff, r2 < 1.0f)) m |= 1u << jm;
    }
    if (tidxi == 0 && tidxj == 0) imask[j4] = m;
    __syncwarp();
  }
}
