// rapidsai/cudf, 67cf9a4c707, cpp/src/transpose/transpose.cu:77 (state before the fix)
__global__ void transpose_valids(const unsigned char *in, unsigned *out, int ncols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  while (i < ncols) {
    unsigned active_threads = __ballot_sync(0xffffffff, 1); // BUG: full-mask-in-divergent-flow
    bool valid = in[i] != 0;
    unsigned result = __ballot_sync(active_threads, valid);
    if (threadIdx.x % warpSize == 0) out[i / warpSize] = result;
    i += stride;
  }
}
