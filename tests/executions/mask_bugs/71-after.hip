// ROCm/rocSPARSE, be10a910, library/src/extra/bsrgemm_device.h:1349 (state after the fix)
__global__ void bsrgemm(const int *row_end, int *workspace_B, int rows) {
  for (int j = 0; j < rows; j++) {
    int next_k = workspace_B[j];
    for (int k = next_k; k < row_end[j]; k++) {
      if (k % 7 == 6) {
        next_k = k;
        break;
      }
    }
    __syncthreads();
    workspace_B[j] = next_k;
  }
}
