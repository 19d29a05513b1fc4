// A shuffle that reads a lane which is not in the mask, or has left, yields an undefined value (docs/semantics.md §10).
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sum_of_those_in_range(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = in[i];
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffff, v, d); //~ warning[shuffle-from-inactive-lane]: reads lanes that can have left the kernel
  if (threadIdx.x % 32 == 0)
    atomicAdd(out, v);
}

__global__ void exchange(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] += __shfl_xor_sync(0xffffffff, p[i], 1); //~ warning[shuffle-from-inactive-lane]: this `__shfl_xor_sync` reads lanes
}

__global__ void last_lane(float *p, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  p[i] -= __shfl_sync(0xffffffff, p[i], 31); //~ warning[shuffle-from-inactive-lane]: this `__shfl_sync` reads lanes
}

__global__ void left_by_value(const int *in, int *out) {
  int v = in[threadIdx.x];
  if (v < 0)
    return;
  out[threadIdx.x] = __shfl_sync(0xffffffff, v, 0); //~ warning[shuffle-from-inactive-lane]: lanes that can have left
}

__global__ void lower_lanes_leave(int *p, int first) {
  int i = threadIdx.x;
  if (i < first)
    return;
  p[i] += __shfl_up_sync(0xffffffff, p[i], 1); //~ warning[shuffle-from-inactive-lane]: this `__shfl_up_sync` reads lanes
}

__device__ float sum(float v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}

__global__ void in_a_function(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] /= sum(p[i]); //~ warning[shuffle-from-inactive-lane]: this call of `sum`, which runs `__shfl_xor_sync`,
}

__global__ void tile_of_those_in_range(float *p, int n) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] += tile.shfl_down(p[i], 8); //~ warning[shuffle-from-inactive-lane]: reads lanes that can have left
}

__global__ void outside_of_the_mask(int *p) {
  if (threadIdx.x < 8)
    p[threadIdx.x] = __shfl_sync(0xff, p[threadIdx.x], 9); //~ error[shuffle-from-inactive-lane]: reads lane 9, which is not in the mask 0xff
}

__global__ void partner_outside_of_the_mask(int *p) {
  int lane = threadIdx.x % 32;
  if (lane < 8)
    p[lane] += __shfl_xor_sync(0xff, p[lane], 8); //~ error[shuffle-from-inactive-lane]: reads lane 8, which is not in the mask 0xff
}
