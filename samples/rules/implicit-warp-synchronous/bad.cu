// Lanes of a warp do not run in step: only a barrier orders their accesses to memory (docs/semantics.md §10).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void neighbours(const float *in, float *out) {
  __shared__ float s[32];
  int lane = threadIdx.x % 32;
  s[lane] = in[lane];
  out[lane] = s[lane ^ 1]; //~ warning[implicit-warp-synchronous]: no barrier is between a store in one lane and this read of `s[lane ^ 1]`
}

__global__ void last_steps_of_a_tree(const float *in, float *out) {
  __shared__ volatile float s[64];
  int tid = threadIdx.x;
  s[tid] = in[tid];
  __syncthreads();
  if (tid < 32) {
    s[tid] += s[tid + 32];
    s[tid] += s[tid + 16]; //~ warning[implicit-warp-synchronous]: no barrier is between a store in one lane and this read of `s[tid + 16]`
    s[tid] += s[tid + 8];
  }
  if (tid == 0)
    out[blockIdx.x] = s[0];
}

__global__ void read_and_store_in_one_step(const float *in, float *out) {
  __shared__ float s[64];
  int tid = threadIdx.x;
  s[tid] = in[tid];
  __syncthreads();
  for (int d = 16; d > 0; d /= 2) {
    if (tid < 32)
      s[tid] += s[tid + d]; //~ warning[implicit-warp-synchronous]: no barrier is between a read of `s[tid + d]`
    __syncwarp();
  }
  out[tid] = s[0];
}

__global__ void vote_in_between(const int *in, int *out) {
  __shared__ int s[32];
  int lane = threadIdx.x;
  s[lane] = in[lane];
  if (__all_sync(0xffffffff, in[lane] == 0))
    return;
  out[lane] = s[31 - lane]; //~ warning[implicit-warp-synchronous]: no barrier is between a store in one lane and this read of `s[31 - lane]`
}

__global__ void shuffle_in_between(int *out, int n) {
  __shared__ int total;
  int lane = threadIdx.x, sum = 0;
  if (lane == 0)
    total = 0;
  __syncwarp();
  for (int i = 0; i < n; i++) {
    sum += total;
    int v = __shfl_sync(0xffffffff, sum, 0);
    if (lane == 0)
      total = v; //~ warning[implicit-warp-synchronous]: no barrier is between a read of `total`
    __syncwarp();
  }
  out[lane] = sum;
}

__global__ void next_iteration(const float *in, float *out, int n) {
  __shared__ float row[32];
  int lane = threadIdx.x;
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    row[lane] = in[i * 32 + lane]; //~ warning[implicit-warp-synchronous]: no barrier is between a read of `row[k]`
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 32; k++)
      sum += row[k];
    out[i * 32 + lane] = sum;
  }
}

struct State {
  int position, length;
};

__device__ void advance(State *state, int lane, const int *steps) {
  int position = state->position;
  if (lane == 0)
    state->position = position + steps[position]; //~ warning[implicit-warp-synchronous]: a read of `state->position`
}

__global__ void in_a_function(const int *steps, int *out) {
  __shared__ State state;
  if (threadIdx.x == 0)
    state.position = 0;
  __syncthreads();
  advance(&state, threadIdx.x, steps);
  __syncthreads();
  out[threadIdx.x] = state.position;
}

__global__ void narrow_mask(const float *in, float *out) {
  __shared__ float s[32];
  int lane = threadIdx.x;
  s[lane] = in[lane];
  __syncwarp(lane < 16 ? 0xffff : 0xffff0000);
  out[lane] = s[31 - lane]; //~ warning[implicit-warp-synchronous]: this read of `s[31 - lane]`
}

__global__ void narrow_tile(const float *in, float *out) {
  __shared__ float s[256];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[threadIdx.x] = in[threadIdx.x];
  tile.sync();
  out[threadIdx.x] = s[threadIdx.x ^ 8]; //~ warning[implicit-warp-synchronous]: no barrier is between a store in one lane and this read of
}

__global__ void one_thread_fills_global_memory(float *p, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int i = 0; i < n; i++) {
    float v = cg::reduce(warp, p[n + i], cg::plus<float>());
    if (warp.thread_rank() == 0)
      p[i] = v;
  }
  float sum = 0;
  for (int i = warp.thread_rank(); i < n; i += 32)
    sum += p[i]; //~ warning[implicit-warp-synchronous]: this read of `p[i]`
  p[2 * n + threadIdx.x] = sum;
}

__global__ void by_value(const int *digits, int *ranks) {
  __shared__ int count[32];
  int lane = threadIdx.x;
  count[lane] = 0;
  __syncwarp();
  int digit = digits[lane] % 32;
  unsigned peers = __match_any_sync(0xffffffff, digit);
  int before = count[digit];
  if (lane == __ffs(peers) - 1)
    count[digit] = before + __popc(peers); //~ note[implicit-warp-synchronous]: an unknown element and this store
  ranks[lane] = before;
}
