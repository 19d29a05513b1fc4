// NVIDIA/cub, 2f6f8430, cub/block/block_radix_rank.cuh:611, 625 ("Todo: warp-sync") (state before the fix)
__global__ void rank(const int *digits, int *ranks) {
  __shared__ int counters[256];
  int lane = threadIdx.x % 32;
  for (int d = lane; d < 256; d += 32) counters[d] = 0;
  __syncwarp();
  for (int k = 0; k < 4; k++) {
    int digit = digits[k * 32 + lane];
    unsigned peers = __match_any_sync(0xffffffff, digit);
    int prefix = counters[digit]; // BUG: implicit-warp-synchronous
    int before = __popc(peers & ((1u << lane) - 1));
    if (before == 0) counters[digit] = prefix + __popc(peers);
    ranks[k * 32 + lane] = prefix + before;
  }
}
