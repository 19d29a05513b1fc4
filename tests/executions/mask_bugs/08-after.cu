// rapidsai/cudf, 67cf9a4c707, cpp/src/transpose/transpose.cu:77 (state after the fix)
__global__ void transpose_valids(const unsigned char *in, unsigned *out, int ncols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  unsigned active_threads = __ballot_sync(0xffffffff, i < ncols);
  while (i < ncols) {
    bool valid = in[i] != 0;
    unsigned result = __ballot_sync(active_threads, valid);
    if (threadIdx.x % warpSize == 0) out[i / warpSize] = result;
    i += stride;
    active_threads = __ballot_sync(active_threads, i < ncols);
  }
}
