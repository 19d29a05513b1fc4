// llm.c e554ffca: a barrier under a condition on the second dimension of the block: as it was mended.

#define WARP_SIZE 32
template <typename Out, bool UseAuxBuffer> __global__ void backward_bias(Out *dbias, const float *dout, int BT, int OC) {
  constexpr int bdx = 4, bdy = WARP_SIZE / bdx;
  int warp_d = threadIdx.x, warp_c = threadIdx.y, block_d = threadIdx.z;
  int global_oc = blockIdx.x * bdy + warp_c;
  __shared__ float sub_results[WARP_SIZE][bdy];
  if (global_oc < OC) {
    float sum = 0.0f;
    for (int idx = blockIdx.y * bdx * blockDim.z + warp_d + bdx * block_d; idx < BT; idx += gridDim.y * bdx * blockDim.z)
      sum += dout[global_oc + idx * OC];
    if (warp_d == 0)
      sub_results[block_d][warp_c] = sum;
  }
  __syncthreads();
  if (global_oc < OC) {
    float a = 0.0f;
    for (int r = warp_d; r < blockDim.z; r += bdx)
      a += sub_results[r][warp_c];
    if (warp_d == 0)
      dbias[global_oc] = (Out)a;
  }
}
