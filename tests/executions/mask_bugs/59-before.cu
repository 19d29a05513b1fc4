// opencv/opencv_contrib, cade19501, modules/cudev/include/opencv2/cudev/block/scan.hpp:139, 213 (state before the fix)
__device__ int warpScanInclusive(unsigned mask, int v) {
  for (int i = 1; i < 32; i *= 2) {
    int t = __shfl_up_sync(mask, v, i);
    if ((threadIdx.x & 31) >= i) v += t;
  }
  return v;
}
__global__ void blockScan(int *data, int quot) {
  __shared__ int smem[33];
  int tid = threadIdx.x;
  if (tid < 32) smem[tid] = data[tid];
  __syncthreads();
  unsigned mask = (1u << quot) - 1;
  if (tid < quot) {
    int val = smem[tid];
    smem[tid + 1] = warpScanInclusive(mask, val); // BUG: implicit-warp-synchronous
    if (tid == 0) smem[0] = 0;
  }
  __syncthreads();
  data[tid] = smem[tid / 32];
}
