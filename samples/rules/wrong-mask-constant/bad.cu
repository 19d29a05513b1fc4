// All lanes of a warp execute an operation, and its masks are wrong for some of them (docs/semantics.md §10). If the last
// lanes of a warp are not named, they may not exist: a warning if the size of the block is unknown.

__global__ void five_bits(int *p) {
  p[threadIdx.x] = __shfl_sync(0x1f, p[threadIdx.x], 0); //~ warning[wrong-mask-constant]: lanes 5 to 31 execute this `__shfl_sync`, but are not in the mask 0x1f
}

__global__ void half_mask(int *p) {
  p[threadIdx.x] += __shfl_xor_sync(0xffff, p[threadIdx.x], 1); //~ warning[wrong-mask-constant]: lanes 16 to 31
}

__global__ void __launch_bounds__(64) missing_digit(int *p) {
  __syncwarp(0xfffffff); //~ warning[wrong-mask-constant]: lanes 28 to 31 execute this `__syncwarp`, but are not in the mask 0xfffffff
  p[threadIdx.x] = 0;
}

__global__ void without_lane_0(int *p) {
  p[threadIdx.x] = __all_sync(0xfffffffe, p[threadIdx.x]); //~ error[wrong-mask-constant]: lane 0 executes this `__all_sync`, but is not in the mask 0xfffffffe
}

// The mask of a group of eight lanes is shifted by the number of the group, and not by that of its first lane.
__global__ void shift_by_group(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  unsigned mask = 0xffu << (lane / 8);
  v = __reduce_add_sync(mask, v); //~ error[wrong-mask-constant]: lanes 9 to 31 execute this `__reduce_add_sync`, but are not in their masks
  p[threadIdx.x] = v;
}

// A group has the number `lane % 4` instead of `lane / 8`.
__device__ int sum_of_group(int v, int width) {
  unsigned mask = ((1u << width) - 1) << (threadIdx.x % (32 / width) * width);
  for (int d = width / 2; d > 0; d /= 2)
    v += __shfl_xor_sync(mask, v, d);
  return v;
}

__global__ void remainder_for_quotient(int *p) {
  p[threadIdx.x] = sum_of_group(p[threadIdx.x], 8); //~ error[wrong-mask-constant]: execute `sum_of_group`
}

// Lanes name others that pass another mask.
__global__ void different_masks(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  unsigned mask = lane < 4 ? 0xffu : 0xffffffffu;
  v = __shfl_sync(mask, v, 0); //~ error[wrong-mask-constant]: lane 0 of this `__shfl_sync` names lane 4, which passes the mask 0xffffffff
  p[threadIdx.x] = v;
}

__global__ void mask_of_lower_lanes(int *p) {
  int lane = threadIdx.x & 31;
  p[threadIdx.x] = __ballot_sync((2u << lane) - 1, p[threadIdx.x]); //~ error[wrong-mask-constant]: names lane 0, which passes
}

__global__ void own_bit_missing(int *p) {
  int lane = threadIdx.x & 31;
  p[threadIdx.x] = __any_sync(~(1u << lane), p[threadIdx.x]); //~ error[wrong-mask-constant]: lanes 0 to 31 execute this `__any_sync`, but are not in their masks
}

__global__ void in_a_uniform_branch(int *p, int n) {
  if (n > 3)
    p[threadIdx.x] = __any_sync(0xff00ff00, p[threadIdx.x]); //~ error[wrong-mask-constant]: lanes 0 to 7 and 16 to 23
}
