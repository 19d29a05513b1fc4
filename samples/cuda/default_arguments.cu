// Masks and widths that are default arguments. A prototype can have them for a later definition.

__device__ int neighbour(int v, unsigned mask = 0xffffffff) { return __shfl_xor_sync(mask, v, 1); }

__global__ void all_lanes(int *p) { p[threadIdx.x] += neighbour(p[threadIdx.x]); }

__global__ void odd_lanes(int *p) {
  if (threadIdx.x & 1)
    p[threadIdx.x] += neighbour(p[threadIdx.x]); //~ error[full-mask-in-divergent-flow]
}

__global__ void pairs(int *p) {
  if (threadIdx.x & 2)
    p[threadIdx.x] += neighbour(p[threadIdx.x], 0xcccccccc);
}

__device__ int sum(int v, int width = 4 * 2, unsigned mask = 0xff);

__global__ void first_lanes(int *p) {
  if (threadIdx.x < 8)
    p[threadIdx.x] = sum(p[threadIdx.x]);
}

__global__ void too_many_lanes(int *p) {
  if (threadIdx.x < 16)
    p[threadIdx.x] = sum(p[threadIdx.x]); //~ error[caller-not-in-mask]
}

__device__ int sum(int v, int width, unsigned mask) {
  for (int d = width / 2; d > 0; d /= 2)
    v += __shfl_down_sync(mask, v, d, width);
  return v;
}

// In a template and in a method.
template <class T, int W = 32> __device__ T of_type(T v, unsigned mask = ~0u) { return __shfl_xor_sync(mask, v, 1, W); }

__global__ void odd_lanes_of_type(float *p) {
  if (threadIdx.x & 1)
    p[threadIdx.x] += of_type(p[threadIdx.x]); //~ error[full-mask-in-divergent-flow]
}

struct Warp {
  unsigned lanes;
  __device__ int first(int v, unsigned mask = 0xffff) const { return __shfl_sync(mask, v, 0); }
};

__global__ void first_of_half(int *p) {
  Warp warp = {32};
  if (threadIdx.x < 16)
    p[threadIdx.x] = warp.first(p[threadIdx.x]);
}

__global__ void first_of_quarter(int *p) {
  Warp warp = {32};
  if (threadIdx.x < 8)
    p[threadIdx.x] = warp.first(p[threadIdx.x]); //~ error[full-mask-in-divergent-flow]
}
