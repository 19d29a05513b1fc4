// ComputationalRadiationPhysics/picongpu, b59fdb5bb, include/pmacc/kernel/warp.hpp:70, 101 (called from include/pmacc/kernel/atomic.hpp:100) (state before the fix)
__device__ int warpBroadcast(int data, int src) {
  return __shfl_sync(__activemask(), data, src); // BUG: activemask-as-mask
}
__device__ int atomicAllInc(int *ptr) {
  const unsigned mask = __activemask();
  const int leader = __ffs(mask) - 1;
  const int lane = threadIdx.x % 32;
  int result = 0;
  if (lane == leader) result = atomicAdd(ptr, __popc(mask));
  result = warpBroadcast(result, leader);
  return result + __popc(mask & ((1u << lane) - 1u));
}
__global__ void filter(const int *data, int *out, int *count) {
  int v = data[threadIdx.x];
  if (v > 0) out[atomicAllInc(count)] = v;
}
