// rapidsai/cudf, 5628f57765f, cpp/include/cudf/detail/copy_range.cuh:82-85 (state before the fix)
__global__ void copy_range(const bool *valid_in, unsigned *bits, int begin, int end, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  for (int base = i - lane; base < n; base += blockDim.x * gridDim.x) {
    int index = base + lane;
    bool in_range = begin <= index && index < end;
    int active_mask = __ballot_sync(0xFFFFFFFF, in_range);
    bool valid = in_range && valid_in[index - begin];
    int warp_mask = __ballot_sync(active_mask, valid); // BUG: caller-not-in-mask
    if (lane == 0) bits[index / 32] = (bits[index / 32] & ~active_mask) | (warp_mask & active_mask);
  }
}
