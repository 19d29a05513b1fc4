// One kernel for blocks of one warp and of many warps: only many warps need the barrier.
template <bool MANY_WARPS>
__device__ void exchange(float *tile, float x) {
  tile[threadIdx.x] = x;
  if constexpr (MANY_WARPS)
    __syncthreads();
}

__global__ void rotate(float *data, int n) {
  __shared__ float tile[256];
  exchange<true>(tile, threadIdx.x < n ? data[threadIdx.x] : 0);
  if (threadIdx.x < n)
    data[threadIdx.x] = tile[(threadIdx.x + 1) % n];
}
