// Each lane is in its mask, and names lanes that pass the same mask.

__global__ void all_lanes(int *p) {
  p[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0);
  p[threadIdx.x] += __shfl_sync(~0u, p[threadIdx.x], 0);
  p[threadIdx.x] += __shfl_sync(-1, p[threadIdx.x], 0);
  __syncwarp();
}

__global__ void groups_by_shift(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  v = __reduce_add_sync(0xffu << (lane & 24), v);
  v = __reduce_add_sync(0xfu << (lane / 4 * 4), v);
  v = __reduce_add_sync(0x3u << (lane >> 1 << 1), v);
  v = __reduce_add_sync(1u << lane, v);
  p[threadIdx.x] = v;
}

__global__ void groups_by_choice(int *p) {
  int v = p[threadIdx.x];
  unsigned mask = threadIdx.x % 32 >= 16 ? 0xffff0000 : 0x0000ffff;
  v = __shfl_xor_sync(mask, v, 8);
  p[threadIdx.x] = v;
}

__global__ void every_second_lane(int *p) {
  unsigned mask = 0x55555555u << (threadIdx.x & 1);
  p[threadIdx.x] = __ballot_sync(mask, p[threadIdx.x]);
}

__device__ int sum_of_group(int v, int width) {
  int lane = threadIdx.x & 31;
  unsigned mask = ((1ull << width) - 1) << (lane / width * width);
  for (int d = width / 2; d > 0; d /= 2)
    v += __shfl_xor_sync(mask, v, d);
  return v;
}

__global__ void width_as_argument(int *p) {
  p[threadIdx.x] = sum_of_group(p[threadIdx.x], 8) + sum_of_group(p[threadIdx.x], 32);
}

// The masks of equal values are the same in all lanes that they name.
__global__ void masks_of_operations(int *p) {
  int v = p[threadIdx.x];
  unsigned same = __match_any_sync(0xffffffff, v);
  v = __reduce_add_sync(same, v);
  unsigned parity = __match_any_sync(0xffffffff, threadIdx.x & 1);
  v = __reduce_add_sync(parity, v);
  p[threadIdx.x] = v;
}

// The block has one warp with sixteen threads.
// tangle: launch(local_size = 16)
__global__ void small_block(int *p) {
  p[threadIdx.x] = __shfl_xor_sync(0xffff, p[threadIdx.x], 1);
}

// The mask is unknown.
__global__ void given_mask(int *p, unsigned mask) {
  p[threadIdx.x] = __shfl_xor_sync(mask, p[threadIdx.x], 1);
}

__global__ void only_the_named_lanes(int *p) {
  if (threadIdx.x % 32 < 5)
    p[threadIdx.x] = __shfl_sync(0x1f, p[threadIdx.x], 0);
}
