// ORNL/HeCBench, 6b9d4dfdf, src/atomicAggregate-hip/main.cu:9, 19, 20, 23 (state after the fix)
__device__ int atomicAggInc(int *ptr) {
  unsigned lane_id = threadIdx.x % warpSize;
  unsigned long long mask = __ballot(1);
  int leader = __ffsll(mask) - 1;
  int res = 0;
  if (lane_id == leader) res = atomicAdd(ptr, __popcll(mask));
  res = __shfl(res, leader, warpSize);
  return res + __popcll(mask & ((1ULL << lane_id) - 1));
}
__global__ void k(int *count, int *out) { out[threadIdx.x] = atomicAggInc(count); }
