// cms-patatrack/pixeltrack-standalone, b73e8d5b, src/hip/CUDACore/prefixScan.h:17, 20, 30, 33, 60 (state before the fix)
__device__ void warpPrefixScan(int *c, uint32_t i, uint32_t mask) {
  int x = c[i];
  int laneId = threadIdx.x & 0x1f;
  for (int offset = 1; offset < 32; offset <<= 1) {
    int y = __shfl_up_sync(mask, x, offset); // BUG: wave-width
    if (laneId >= offset) x += y;
  }
  c[i] = x;
}
__global__ void scan(int *c, int size) {
  uint32_t mask = __ballot_sync(0xffffffff, threadIdx.x < size);
  if (threadIdx.x < size) warpPrefixScan(c, threadIdx.x, mask);
}
