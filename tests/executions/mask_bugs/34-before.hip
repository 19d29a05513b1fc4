// ORNL/HeCBench, 6b9d4dfdf, src/atomicAggregate-hip/main.cu:9, 19, 20, 23 (state before the fix)
__device__ int atomicAggInc(int *ptr) {
  unsigned lane_id = threadIdx.x % warpSize;
  unsigned mask = __ballot(1); // BUG: wave-width
  int leader = __ffs(mask) - 1;
  int res = 0;
  if (lane_id == leader) res = atomicAdd(ptr, __popc(mask));
  res = __shfl(res, leader, warpSize);
  return res + __popc(mask & ((1 << lane_id) - 1));
}
__global__ void k(int *count, int *out) { out[threadIdx.x] = atomicAggInc(count); }
