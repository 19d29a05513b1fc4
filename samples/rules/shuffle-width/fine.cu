// The width is a power of two, at most that of the warp, or unknown.

__global__ void width_1(int *p) { p[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0, 1); }

__global__ void width_2(int *p) { p[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0, 2); }

__global__ void width_4(int *p) { p[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0, 4); }

__global__ void width_8(int *p) { p[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0, 8); }

__global__ void width_16(int *p) { p[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0, 16); }

__global__ void width_32(int *p) { p[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0, 32); }

__global__ void default_width(int *p) { p[threadIdx.x] = __shfl_xor_sync(0xffffffff, p[threadIdx.x], 1); }

__global__ void warp_size(int *p) {
  p[threadIdx.x] = __shfl_xor_sync(0xffffffff, p[threadIdx.x], 1, warpSize);
}

__global__ void given(int *p, int width) {
  p[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0, width);
}

// No instantiation with `W == 64` may exist.
template <int W> __device__ int sum_of_group(int v) {
  if (W == 32)
    v += __shfl_xor_sync(0xffffffff, v, 16, 32);
  else if (W == 64)
    v += __shfl_xor_sync(0xffffffff, v, 32, 64); //~ note[shuffle-width]: the width 64 of this `__shfl_xor_sync` exceeds
  return v;
}
