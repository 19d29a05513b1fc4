// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// flashinfer 479f67e7: the warps that compute wait for the block, the warps that load do not: as it was.

__global__ void __launch_bounds__(384, 1) tinygemm(const float *weights, float *out, int loops) {
  __shared__ float buffer[128];
  int warp_id = threadIdx.x / 32;
  if (warp_id >= 4 && elect_one_sync()) {
    for (int ki = 0; ki < loops; ki++)
      load_tile(weights, ki);
  } else if (warp_id < 4) {
    float sum = 0;
    for (int ki = 0; ki < loops; ki++)
      sum += compute_tile(ki);
    buffer[threadIdx.x] = sum;
    __syncthreads(); //~ error[divergent-barrier]
    if (warp_id == 0)
      out[blockIdx.x * 32 + threadIdx.x] = buffer[threadIdx.x] + buffer[threadIdx.x + 32];
  }
}
