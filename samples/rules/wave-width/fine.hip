// Masks of 64 bits, and masks whose halves are read separately.
#include <hip/hip_runtime.h>

__global__ void variable(int *p) {
  unsigned long long mask = __ballot(p[threadIdx.x] > 0);
  p[threadIdx.x] = __popcll(mask);
}

__global__ void deduced(int *p) {
  const auto mask = __activemask();
  p[threadIdx.x] = __ffsll(mask);
}

__global__ void both_halves(int *p) {
  unsigned long long mask = __ballot(p[threadIdx.x] > 0);
  unsigned low = mask, high = mask >> 32;
  p[threadIdx.x] = __popc(low) + __popc(high);
}

__global__ void truth(int *p) {
  if (__ballot(p[threadIdx.x] > 0))
    p[threadIdx.x] = 0;
  bool all = __ballot(p[threadIdx.x] > 0) == ~0ull;
  p[threadIdx.x] = all;
}

__global__ void bit_of_the_lane(int *p) {
  int lane = threadIdx.x % 64;
  unsigned long long mask = __ballot(p[threadIdx.x] > 0);
  p[threadIdx.x] = __popcll(mask & ((1ull << lane) - 1));
}

__global__ void bit_of_a_half(int *p) {
  int lane = threadIdx.x % 32;
  p[threadIdx.x] = __any(p[threadIdx.x] & (1 << lane)) + (__ballot(p[threadIdx.x]) != 0);
}

__global__ void other_shift(int *p, int n) {
  unsigned long long mask = __ballot(p[threadIdx.x] > 0);
  p[threadIdx.x] = __popcll(mask) << 2 | 1 << n;
}

// No thread gets to the code for 32 lanes.
__global__ void by_size(int *p) {
  if (warpSize == 32) {
    unsigned mask = __ballot(p[threadIdx.x] > 0);
    p[threadIdx.x] = __popc(mask);
  } else {
    p[threadIdx.x] = __popcll(__ballot(p[threadIdx.x] > 0));
  }
}

__global__ void number_of_lanes(int *p) {
  unsigned count = __popcll(__ballot(p[threadIdx.x] > 0));
  p[threadIdx.x] = count;
}
