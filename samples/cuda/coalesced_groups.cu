// Groups of the lanes that happen to be together, and parts of groups by a label. Their lanes are a mask in the object.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void first_alone(int *p) {
  auto group = cg::coalesced_threads();
  if (group.thread_rank() == 0)
    group.sync(); //~ warning[group-sync-outside-group]: `group.thread_rank()`
  p[threadIdx.x] = 1;
}

__global__ void by_data(int *p) {
  auto group = cg::coalesced_threads();
  int v = p[threadIdx.x];
  if (v > 0)
    v = group.any(v > 3); //~ warning[group-sync-outside-group]: depends on `v`
  p[threadIdx.x] = v;
}

__global__ void shuffle(int *p) {
  auto group = cg::coalesced_threads();
  int v = p[threadIdx.x];
  if (v > 0)
    v = group.shfl(v, 0); //~ warning[group-sync-outside-group]
  p[threadIdx.x] = v;
}

__global__ void group_of_the_branch(int *p) {
  int v = p[threadIdx.x];
  if (v > 0) {
    auto group = cg::coalesced_threads();
    v = group.any(v > 3);
    group.sync();
  }
  p[threadIdx.x] = v;
}

__global__ void copied(int *p) {
  auto group = cg::coalesced_threads();
  cg::coalesced_group other = group;
  if (p[threadIdx.x] > 0)
    other.sync(); //~ warning[group-sync-outside-group]
}

// What a vote of the group gives is the same in all its lanes, and so is its size.
__global__ void by_vote(int *p) {
  auto group = cg::coalesced_threads();
  int v = p[threadIdx.x];
  if (group.any(v > 3) && group.size() > 2)
    group.sync();
  p[threadIdx.x] = v;
}

__global__ void by_vote_of_another(int *p) {
  auto group = cg::coalesced_threads();
  int v = p[threadIdx.x];
  bool some = false;
  if (v > 0) {
    auto part = cg::coalesced_threads();
    some = part.any(v > 3);
  }
  if (some)
    group.sync(); //~ warning[group-sync-outside-group]
  p[threadIdx.x] = v;
}

__global__ void aggregated(int *counter, int *p) {
  if (p[threadIdx.x] > 0) {
    auto group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0)
      first = atomicAdd(counter, group.size());
    p[threadIdx.x] = group.shfl(first, 0) + group.thread_rank();
  }
}

__global__ void part_by_label(int *p) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int v = p[threadIdx.x];
  auto part = cg::labeled_partition(warp, v);
  if (part.thread_rank() == 0)
    p[threadIdx.x] = v;
  part.sync();
}

__global__ void first_of_a_part(int *p) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::binary_partition(warp, p[threadIdx.x] > 0);
  if (part.thread_rank() == 0)
    part.sync(); //~ warning[group-sync-outside-group]: `part.thread_rank()`
}

// The lanes with one label take the same side.
__global__ void by_the_label(int *p) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int v = p[threadIdx.x];
  auto part = cg::labeled_partition(warp, v);
  if (v > 3)
    part.sync();
}

__global__ void by_another_number(int *p, const int *q) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::labeled_partition(warp, p[threadIdx.x]);
  if (q[threadIdx.x] > 3)
    part.sync(); //~ warning[group-sync-outside-group]
}

// The partition itself is an operation of the whole warp.
__global__ void partition_in_a_branch(int *p) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  if (threadIdx.x < 7) {
    auto part = cg::binary_partition(warp, p[threadIdx.x] > 0); //~ error[group-sync-outside-group]
    p[threadIdx.x] = part.size();
  }
}

__device__ void wait(cg::coalesced_group group) {
  group.sync();
}

__global__ void helper(int *p) {
  auto group = cg::coalesced_threads();
  if (p[threadIdx.x] > 0)
    wait(group); //~ warning[group-sync-outside-group]: this call of `wait`
}

__global__ void part_of_a_small_tile(int *p, const int *q) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  auto part = cg::binary_partition(tile, p[threadIdx.x] > 0);
  part.sync();
  if (q[threadIdx.x] > 3)
    part.sync(); //~ warning[group-sync-outside-group]
}

// The index of the part, and what all its lanes read from one lane, are the same in the part.
__global__ void by_broadcast(int *p) {
  auto group = cg::coalesced_threads();
  int v = group.shfl(p[threadIdx.x], 0);
  if (v > 3 && group.meta_group_rank() == 0)
    group.sync();
}

__global__ void by_neighbour(int *p) {
  auto group = cg::coalesced_threads();
  int v = group.shfl_down(p[threadIdx.x], 1);
  if (v > 3)
    group.sync(); //~ warning[group-sync-outside-group]
}
