// ComputationalRadiationPhysics/picongpu, 548fe2a9c, include/pmacc/nvidia/atomic.hpp:93, 188 (state after the fix)
__device__ int atomicAllInc(int *ptr) {
  const int mask = __activemask();
  const int leader = __ffs(mask) - 1;
  const int lane = threadIdx.x % 32;
  int result = 0;
  if (lane == leader) result = atomicAdd(ptr, __popc(mask));
  result = __shfl_sync(mask, result, leader);
  return result + __popc(mask & ((1 << lane) - 1));
}
__global__ void filter(const int *data, int *out, int *count) {
  int v = data[threadIdx.x];
  if (v > 0) out[atomicAllInc(count)] = v;
}
