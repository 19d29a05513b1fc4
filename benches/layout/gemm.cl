#define TS 16
kernel void gemm(const int M, const int N, const int K, const global float *A, const global float *B,
                 global float *C, const float alpha, const float beta) {
  local float Asub[TS][TS];
  local float Bsub[TS][TS];
  const int row = get_local_id(0);
  const int col = get_local_id(1);
  const int globalRow = TS * get_group_id(0) + row;
  const int globalCol = TS * get_group_id(1) + col;
  float acc = 0.0f;
  const int numTiles = (K + TS - 1) / TS;
  for (int t = 0; t < numTiles; t++) {
    const int tiledRow = TS * t + row;
    const int tiledCol = TS * t + col;
    if (globalRow < M && tiledCol < K)
      Asub[col][row] = A[tiledCol * M + globalRow];
    else
      Asub[col][row] = 0.0f;
    if (tiledRow < K && globalCol < N)
      Bsub[col][row] = B[globalCol * K + tiledRow];
    else
      Bsub[col][row] = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    acc += Asub[0][row] * Bsub[col][0];
    acc += Asub[1][row] * Bsub[col][1];
    acc += Asub[2][row] * Bsub[col][2];
    acc += Asub[3][row] * Bsub[col][3];
    acc += Asub[4][row] * Bsub[col][4];
    acc += Asub[5][row] * Bsub[col][5];
    acc += Asub[6][row] * Bsub[col][6];
    acc += Asub[7][row] * Bsub[col][7];
    acc += Asub[8][row] * Bsub[col][8];
    acc += Asub[9][row] * Bsub[col][9];
    acc += Asub[10][row] * Bsub[col][10];
    acc += Asub[11][row] * Bsub[col][11];
    acc += Asub[12][row] * Bsub[col][12];
    acc += Asub[13][row] * Bsub[col][13];
    acc += Asub[14][row] * Bsub[col][14];
    acc += Asub[15][row] * Bsub[col][15];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (globalRow < M && globalCol < N) {
    const int at = globalCol * M + globalRow;
    C[at] = alpha * acc + beta * C[at];
  }
}
