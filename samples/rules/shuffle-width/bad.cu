// The width of a shuffle is a power of two, and at most the number of lanes of a warp (CUDA C++ Programming Guide, Warp
// Shuffle Functions).

__global__ void three(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_sync(0xffffffff, v, 0, 3); //~ error[shuffle-width]: the width 3 of this `__shfl_sync` is not a power of two
}

__global__ void twelve(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_up_sync(0xffffffff, v, 1, 12); //~ error[shuffle-width]: the width 12 of this `__shfl_up_sync` is not a power of two
}

__global__ void twenty_four(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_down_sync(0xffffffff, v, 1, 24); //~ error[shuffle-width]: the width 24 of this `__shfl_down_sync` is not a power of two
}

__global__ void zero(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 1, 0); //~ error[shuffle-width]: the width 0 of this `__shfl_xor_sync` is not a power of two
}

__global__ void thirty_one(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 1, 31); //~ error[shuffle-width]: the width 31 of this `__shfl_xor_sync` is not a power of two
}

__global__ void two_warps(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_sync(0xffffffff, v, 40, 64); //~ error[shuffle-width]: the width 64 of this `__shfl_sync` exceeds the warp, which has 32 lanes
}

__global__ void negative(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_sync(0xffffffff, v, 0, -8); //~ error[shuffle-width]: the width -8
}

#define WIDTH (4 + 2)

__global__ void by_macro(int *p) {
  constexpr int twice = 2 * WIDTH;
  int v = p[threadIdx.x];
  v += __shfl_xor_sync(0xffffffff, v, 1, WIDTH); //~ error[shuffle-width]: the width 6
  v += __shfl_xor_sync(0xffffffff, v, 1, twice); //~ error[shuffle-width]: the width 12
  p[threadIdx.x] = v;
}

__global__ void in_a_branch(int *p, int n) {
  if (n > 3)
    p[threadIdx.x] += __shfl_sync(0xffffffff, p[threadIdx.x], 0, 20); //~ error[shuffle-width]: the width 20
}

template <int WIDTH_OF_CALL> __device__ int of_template(int v) {
  return v + __shfl_xor_sync(0xffffffff, v, 1, WIDTH_OF_CALL); //~ error[shuffle-width]: the width 24
}

__global__ void by_template(int *p) { p[threadIdx.x] = of_template<24>(p[threadIdx.x]) + of_template<8>(p[threadIdx.x]); }
