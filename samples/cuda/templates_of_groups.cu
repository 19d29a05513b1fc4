// Templates whose arguments decide the group, or its size. Each call runs its own instance.
// Blocks of 32 threads or more are meant.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int W> __device__ int sum(cg::thread_block_tile<W> tile, int v) {
  for (int d = W / 2; d > 0; d /= 2)
    v += tile.shfl_down(v, d);
  return v;
}

// Lanes 16 to 31 are a tile of their own …
__global__ void given(int *p) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (threadIdx.x & 16)
    p[threadIdx.x] = sum<16>(tile, p[threadIdx.x]);
}

__global__ void deduced(int *p) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (threadIdx.x & 16)
    p[threadIdx.x] = sum(tile, p[threadIdx.x]);
}

// … but half of a tile of 32.
__global__ void half_given(int *p) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (threadIdx.x & 16)
    p[threadIdx.x] = sum<32>(tile, p[threadIdx.x]); //~ error[group-sync-outside-group]
}

__global__ void half_deduced(int *p) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (threadIdx.x & 16)
    p[threadIdx.x] = sum(tile, p[threadIdx.x]); //~ error[group-sync-outside-group]
}

// The class of the group is the argument.
template <class G> __device__ void wait(G group) { group.sync(); }

__global__ void waits_in_tile(int *p) {
  if (threadIdx.x & 16)
    wait(cg::tiled_partition<16>(cg::this_thread_block()));
  p[threadIdx.x] = 1;
}

__global__ void waits_in_half_of_tile(int *p) {
  if (threadIdx.x & 16)
    wait(cg::tiled_partition<32>(cg::this_thread_block())); //~ error[group-sync-outside-group]
  p[threadIdx.x] = 1;
}

__global__ void waits_in_part_of_block(int *p) {
  auto block = cg::this_thread_block();
  if (threadIdx.x & 16)
    wait(block); //~ error[divergent-barrier]
  p[threadIdx.x] = 1;
}

__global__ void waits_in_block(int *p, int wanted) {
  auto block = cg::this_thread_block();
  if (wanted)
    wait(block);
  p[threadIdx.x] = 1;
}

// Through another template, and with the free function.
template <class G> __device__ int first(const G &group, int v) {
  cg::sync(group);
  return v;
}

template <class G> __device__ int twice(const G &group, int v) { return first(group, v) + first(group, 2 * v); }

__global__ void two_templates(int *p) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (threadIdx.x & 8)
    p[threadIdx.x] = twice(tile, p[threadIdx.x]);
}

__global__ void two_templates_in_half(int *p) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (threadIdx.x & 4)
    p[threadIdx.x] = twice(tile, p[threadIdx.x]); //~ error[group-sync-outside-group]
}

// The size is a constant of a class.
struct Tree {
  static constexpr int width = 16;
};

template <class T> struct Walker {
  __device__ int walk(cg::thread_block_tile<T::width> tile, int v) { return tile.shfl(v, 0); }
};

__global__ void walks(int *p) {
  auto tile = cg::tiled_partition<Tree::width>(cg::this_thread_block());
  Walker<Tree> walker;
  if (threadIdx.x & 16)
    p[threadIdx.x] = walker.walk(tile, p[threadIdx.x]);
}

__global__ void walks_in_half(int *p) {
  auto tile = cg::tiled_partition<Tree::width>(cg::this_thread_block());
  Walker<Tree> walker;
  if (threadIdx.x & 8)
    p[threadIdx.x] = walker.walk(tile, p[threadIdx.x]); //~ error[group-sync-outside-group]
}

// A lambda in a template.
template <class G> __device__ int by_lambda(G group, int v) {
  auto get = [&](int lane) { return group.shfl(v, lane); };
  return get(0) + get(1);
}

__global__ void lambda(int *p) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (threadIdx.x & 16)
    p[threadIdx.x] = by_lambda(tile, p[threadIdx.x]);
}

__global__ void lambda_in_half(int *p) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (threadIdx.x & 8)
    p[threadIdx.x] = by_lambda(tile, p[threadIdx.x]); //~ error[group-sync-outside-group]
}

// A branch that only one instance has.
template <bool Whole> __device__ void wait_if(int v) {
  if constexpr (Whole)
    __syncthreads();
}

__global__ void no_barrier(int *p) {
  if (threadIdx.x & 1)
    wait_if<false>(p[0]);
}

__global__ void barrier_in_branch(int *p) {
  if (threadIdx.x & 1)
    wait_if<true>(p[0]); //~ error[divergent-barrier]
}
