// Templates whose arguments decide a mask, or which lanes get the same result. Each call runs its own instance.

// The number of lanes in a mask.
template <int W> __device__ int in_mask(int v) {
  constexpr unsigned mask = W == 32 ? ~0u : (1u << W) - 1;
  return __shfl_xor_sync(mask, v, 1);
}

__global__ void whole_warp(int *p) { p[threadIdx.x] = in_mask<32>(p[threadIdx.x]); }

__global__ void first_half(int *p) {
  if (threadIdx.x < 16)
    p[threadIdx.x] = in_mask<16>(p[threadIdx.x]);
}

__global__ void more_than_first_half(int *p) {
  p[threadIdx.x] = in_mask<16>(p[threadIdx.x]); //~ warning[wrong-mask-constant]: lanes 16 to 31 execute `in_mask`, but are not in the mask 0xffff
}

// The value of a condition depends on the arguments of a template.
template <int W> __device__ int part() { return threadIdx.x / W; }

__global__ void parts_of_warps(int *p) {
  if (part<32>() & 1)
    p[threadIdx.x] = __shfl_xor_sync(0xffffffff, p[threadIdx.x], 1);
}

__global__ void parts_of_half_warps(int *p) {
  if (part<16>() & 1)
    p[threadIdx.x] = __shfl_xor_sync(0xffffffff, p[threadIdx.x], 1); //~ error[full-mask-in-divergent-flow]
}
