// NVIDIA/AMGX, f3f5303, core/src/solvers/multicolor_dilu_solver.cu:1737 (also 1026, 1514, 2081, 2764) (state after the fix)
__global__ void dilu_forward(const int *rows, const int *cols, float *x, int nrows) {
  int half = threadIdx.x / 16, lane16 = threadIdx.x % 16;
  for (int row = blockIdx.x * (blockDim.x / 16) + half; row < nrows; row += gridDim.x * (blockDim.x / 16)) {
    float sum = 0;
    for (int c = rows[row]; c < rows[row + 1]; c += 16) {
      unsigned active_mask_inner = __activemask();
      int col = c + lane16 < rows[row + 1] ? cols[c + lane16] : -1;
      for (int k = 0; k < 16; ++k) {
        int id = __shfl_sync(active_mask_inner, col, 16 * (half % 2) + k);
        if (id != -1) sum += x[id];
      }
    }
    if (lane16 == 0) x[row] = sum;
  }
}
