// opencv/opencv_contrib, 18439b415, modules/cudev/include/opencv2/cudev/warp/scan.hpp:71 (called from block/scan.hpp under "if (tid < THREADS_NUM / WARP_SIZE)") (state after the fix)
__device__ int warpScanInclusive(unsigned mask, int data) {
  int lane = threadIdx.x % 32;
  for (int i = 1; i < 32; i *= 2) {
    int val = __shfl_up_sync(mask, data, i);
    if (lane >= i) data += val;
  }
  return data;
}
template <int THREADS> __global__ void blockScan(int *data) {
  __shared__ int smem[32];
  int tid = threadIdx.x;
  int r = warpScanInclusive(0xFFFFFFFFu, data[tid]);
  if (tid % 32 == 31) smem[tid / 32] = r;
  __syncthreads();
  if (tid < THREADS / 32) {
    int val = smem[tid];
    smem[tid] = warpScanInclusive((1u << (THREADS / 32)) - 1, val) - val;
  }
  __syncthreads();
  data[tid] = r + smem[tid / 32];
}
template __global__ void blockScan<256>(int *);
