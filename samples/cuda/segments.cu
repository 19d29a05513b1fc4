// Segments of a warp, each with its own data. The lanes of a segment read one address, so they read one value and take
// the same side of a branch.

__device__ int sum_of_eight(int v) {
  unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
  for (int d = 4; d > 0; d /= 2)
    v += __shfl_down_sync(mask, v, d, 8);
  return v;
}

__global__ void by_length(const int *in, int *out, const int *length) {
  int segment = threadIdx.x / 8, lane = threadIdx.x % 8, total = 0;
  for (int i = 0; i < length[segment]; i += 8)
    total += sum_of_eight(in[segment * 64 + i + lane]);
  if (lane == 0)
    out[segment] = total;
}

__global__ void in_branch(const int *in, int *out, const int *length) {
  int segment = threadIdx.x / 8;
  if (length[segment] > 3 && length[segment] < 9)
    out[threadIdx.x] = sum_of_eight(in[threadIdx.x]);
}

// A row of a matrix for each segment of the grid.
__global__ void rows(const int *row, const float *value, float *out, int n) {
  unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  if (r < n) {
    float sum = 0;
    for (int i = row[r] + lane; i < row[r + 1]; i += 8)
      sum += value[i];
    for (int d = 4; d > 0; d /= 2)
      sum += __shfl_down_sync(mask, sum, d, 8);
    if (row[r] != row[r + 1])
      out[r] = __shfl_sync(mask, sum, 0, 8);
  }
}

// The segment searches until one of its lanes has found the key, or an end.
__global__ void search(const int *keys, int *table, int *out) {
  unsigned segment = threadIdx.x % 32 / 4, mask = 0xfu << 4 * segment;
  int slot = keys[threadIdx.x / 4];
  while (true) {
    int key = table[slot + threadIdx.x % 4];
    if (__any_sync(mask, key == keys[threadIdx.x / 4]))
      break;
    else if (__any_sync(mask, key < 0)) {
      out[threadIdx.x / 4] = -1;
      break;
    }
    slot += 4;
  }
}

// Each pair of lanes votes, and then acts for four.
__global__ void votes_of_pairs(const int *keys, int *out) {
  unsigned pair = 0x3u << (threadIdx.x % 32 / 2 * 2), four = 0xfu << (threadIdx.x % 32 / 4 * 4);
  if (__any_sync(pair, keys[threadIdx.x] > 3))
    out[threadIdx.x] = __any_sync(four, keys[threadIdx.x] > 5); //~ warning[full-mask-in-divergent-flow]
}

// The lanes of a segment have different numbers of turns.
__global__ void turns_of_lanes(const int *row, const float *value, float *out, int n) {
  unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  float sum = 0;
  for (int i = row[r] + lane; i < row[r + 1]; i += 8)
    sum += __shfl_down_sync(mask, value[i], 1, 8); //~ warning[full-mask-in-divergent-flow]
  out[threadIdx.x] = sum;
}

// The segments of the data have 4 lanes, those of the mask 8.
__global__ void of_four(const int *in, int *out, const int *length) {
  if (length[threadIdx.x / 4] > 3)
    out[threadIdx.x] = sum_of_eight(in[threadIdx.x]); //~ warning[full-mask-in-divergent-flow]
}

// The lengths change before all lanes have read them.
__global__ void written(int *length, int *out) {
  unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
  int v = threadIdx.x;
  length[threadIdx.x] = v;
  if (length[threadIdx.x / 8] > 2) //~ warning[implicit-warp-synchronous]
    v += __shfl_down_sync(mask, v, 1, 8); //~ warning[full-mask-in-divergent-flow]
  out[threadIdx.x] = v;
}

// A tile reads one element.
#include <cooperative_groups.h>

__global__ void of_tile(const int *in, int *out, const int *length) {
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  if (length[tile.meta_group_rank()] > 3)
    out[threadIdx.x] = tile.shfl(in[threadIdx.x], 0);
  if (length[threadIdx.x / 8] > 3)
    out[threadIdx.x] = tile.shfl(in[threadIdx.x], 0);
}
