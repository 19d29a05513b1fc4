// A wavefront has 64 lanes, so masks have 64 bits (HIP C++ Language Extensions, Warp Cross-Lane Functions).
#include <hip/hip_runtime.h>

__global__ void variable(int *p) {
  unsigned mask = __ballot(p[threadIdx.x] > 0); //~ warning[wave-width]: 32 bits keep only half of the mask that `__ballot` yields
  p[threadIdx.x] = mask & 1;
}

__global__ void argument(int *p) {
  p[threadIdx.x] = __popc(__ballot(p[threadIdx.x] > 0)); //~ warning[wave-width]: `__ballot`
}

__global__ void first_lane(int *p) {
  p[threadIdx.x] = __ffs(__activemask()); //~ warning[wave-width]: `__activemask`
}

__global__ void with_a_mask(int *p) {
  const unsigned int votes = __ballot_sync(~0ull, p[threadIdx.x] > 0); //~ warning[wave-width]: `__ballot_sync`
  p[threadIdx.x] = __popcll(votes);
}

__global__ void cast(int *p) {
  p[threadIdx.x] = (int)__ballot(p[threadIdx.x] > 3) < 0; //~ warning[wave-width]: `__ballot`
}

__global__ void equal_values(int *p) {
  uint32_t same = __match_any_sync(~0ull, p[threadIdx.x]); //~ warning[wave-width]: `__match_any_sync`
  p[threadIdx.x] = same;
}

__global__ void later(int *p) {
  unsigned long long mask = __ballot(p[threadIdx.x] > 0);
  p[threadIdx.x] = __clz(mask); //~ warning[wave-width]: `__ballot`
}

__global__ void bit_of_the_lane(int *p) {
  int lane = threadIdx.x % 64;
  unsigned long long mask = __ballot(p[threadIdx.x] > 0);
  p[threadIdx.x] = __popcll(mask & ((1 << lane) - 1)); //~ warning[wave-width]: 1 is shifted by the number of a lane in 32 bits
}

__device__ unsigned positive(int v) { return __ballot(v > 0); } //~ warning[wave-width]: `__ballot`

__global__ void helper(int *p) { p[threadIdx.x] = positive(p[threadIdx.x]); }
