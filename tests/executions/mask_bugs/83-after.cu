// opencv/opencv_contrib, 71f588bd8, modules/cudastereo/src/cuda/stereobm.cu:271 (barrier in CalcSSD) (state after the fix)
__device__ unsigned CalcSSD(volatile unsigned *cache, volatile unsigned *col, bool in) {
  unsigned c = 0;
  if (in) {
    c = col[1] + col[2];
    cache[0] = c;
  }
  __syncthreads();
  return in ? c + cache[2] : 0;
}
__global__ void stereo(const unsigned *in, unsigned *out, int width) {
  __shared__ unsigned col[140], cache[140];
  int X = threadIdx.x;
  col[X] = in[X];
  cache[X] = 0;
  __syncthreads();
  unsigned v = CalcSSD(cache + X, col + X, X < width);
  if (X < width && v < out[X]) out[X] = v;
}
