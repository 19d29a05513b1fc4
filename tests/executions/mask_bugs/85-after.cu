// rapidsai/cudf, f09e16c5c45, cpp/src/io/utilities/block_utils.cuh:85, 122 (state after the fix)
__global__ void memcpy_block(unsigned char *dst, const unsigned char *src, int len) {
  int t = threadIdx.x;
  unsigned char b = 0;
  if (t < len) b = src[t];
  __syncthreads();
  if (t < len) dst[t] = b;
}
