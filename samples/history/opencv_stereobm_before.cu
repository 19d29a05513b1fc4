// opencv_contrib 71f588bd: a helper that calls a helper that waits, called by the threads inside the image only: as it was.

#define BLOCK_W 128
__constant__ int cwidth, cheight;

template <int RADIUS> __device__ unsigned ssd(volatile unsigned *cache, volatile unsigned *col) {
  unsigned sum = 0;
  for (int i = 1; i <= RADIUS; i++)
    sum += col[i];
  cache[0] = sum;
  __syncthreads();
  return col[0] + sum + (threadIdx.x < BLOCK_W - RADIUS ? cache[RADIUS] : 0);
}

template <int RADIUS> __device__ unsigned min_ssd(volatile unsigned *cache, volatile unsigned *col) {
  unsigned a = ssd<RADIUS>(cache, col);
  __syncthreads();
  unsigned b = ssd<RADIUS>(cache, col + BLOCK_W + 2 * RADIUS);
  return min(a, b);
}

template <int RADIUS> __global__ void stereo(unsigned char *disp, unsigned *best, int rows) {
  // No execution shows it: no launch gives the template argument.
  extern __shared__ unsigned col_ssd_cache[];
  volatile unsigned *col_ssd = col_ssd_cache + BLOCK_W + threadIdx.x;
  const int X = blockIdx.x * BLOCK_W + threadIdx.x + RADIUS, Y = blockIdx.y * rows + RADIUS;
  for (int d = 0; d < 64; d += 8) {
    __syncthreads();
    if (X < cwidth - RADIUS && Y < cheight - RADIUS) {
      unsigned m = min_ssd<RADIUS>(col_ssd_cache + threadIdx.x, col_ssd); //~ error[divergent-barrier]
      if (m < best[X])
        disp[X] = d;
    }
  }
}
