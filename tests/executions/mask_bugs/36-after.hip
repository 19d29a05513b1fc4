// cms-patatrack/pixeltrack-standalone, b73e8d5b, src/hip/CUDACore/prefixScan.h:17, 20, 30, 33, 60 (state after the fix)
__device__ void warpPrefixScan(int *c, uint32_t i) {
  int x = c[i];
  int laneId = threadIdx.x & (warpSize - 1);
  for (int offset = 1; offset < warpSize; offset <<= 1) {
    int y = __shfl_up(x, offset, warpSize);
    if (laneId >= offset) x += y;
  }
  c[i] = x;
}
__global__ void scan(int *c, int size) {
  if (threadIdx.x < size) warpPrefixScan(c, threadIdx.x);
}
