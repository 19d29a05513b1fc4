// Kernels of CUDA and HIP with the number of instructions that each call becomes. Every kernel has a comment with the
// expected counts in PTX and in GCN; `none`: the target has no instructions for it. A count that is not given is 0. A value of 64 bits is moved as two words.

// ptx: bar.sync 1; gcn: s_barrier 1
__global__ void one_barrier(int *p) {
  p[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x + 1] = 2;
}

// ptx: bar.sync 2; gcn: s_barrier 2
__global__ void two_barriers(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x] = 0;
}

// ptx: bar.sync 1; gcn: s_barrier 1
__global__ void barrier_in_a_loop(int *p, int n) {
  __shared__ int s[64];
  for (int i = 0; i < n; i++) {
    s[threadIdx.x] = p[i];
    __syncthreads();
  }
  p[threadIdx.x] = s[0];
}

// ptx: bar.sync 2; gcn: s_barrier 2
__global__ void barriers_in_both_branches(int *p, int n) {
  if (n > 3) {
    p[0] = 1;
    __syncthreads();
  } else {
    p[1] = 2;
    __syncthreads();
    p[2] = 3;
  }
}

// ptx: bar.sync 1; gcn: s_barrier 1
__global__ void barrier_after_a_return(int *p, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  p[threadIdx.x] = n;
}

__device__ void wait_in_a_function(int *p) {
  __syncthreads();
  p[0] = 1;
}

// ptx: bar.sync 1; gcn: s_barrier 1
__global__ void barrier_in_a_function(int *p) {
  wait_in_a_function(p);
  wait_in_a_function(p + 1);
}

// ptx: bar.sync 1; gcn: s_barrier 1
__global__ void barrier_in_a_switch(int *p, int n) {
  switch (n) {
  case 1:
    p[1] = 1;
    break;
  case 2:
    __syncthreads();
    p[2] = 2;
    break;
  default:
    p[3] = 3;
  }
}

// ptx: bar.sync 1; gcn: s_barrier 1
__global__ void dynamic_shared_memory(float *p) {
  extern __shared__ float s[];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x ^ 1];
}

// ptx: bar.sync 1; gcn: s_barrier 1
__global__ void barrier_in_a_do_loop(int *p, int n) {
  int i = 0;
  do {
    p[i] = i;
    __syncthreads();
    i++;
  } while (i < n);
}

// ptx: bar.warp.sync 1
__global__ void barrier_of_a_warp(int *p) {
  p[threadIdx.x] = 1;
  __syncwarp();
  p[threadIdx.x ^ 1] = 2;
}

// ptx: bar.warp.sync 1
__global__ void barrier_of_a_part(int *p) {
  if (threadIdx.x < 16) {
    p[threadIdx.x] = 1;
    __syncwarp(0xffff);
    p[threadIdx.x ^ 1] = 2;
  }
}

// ptx: shfl.sync.idx 1; gcn: ds_bpermute 1
__global__ void broadcast(int *p) { p[threadIdx.x] = __shfl_sync(~0u, p[threadIdx.x], 0); }

// ptx: shfl.sync.up 1; gcn: ds_bpermute 1
__global__ void shifted_up(int *p) { p[threadIdx.x] = __shfl_up_sync(~0u, p[threadIdx.x], 1); }

// ptx: shfl.sync.down 1; gcn: ds_bpermute 1
__global__ void shifted_down(unsigned *p) { p[threadIdx.x] = __shfl_down_sync(~0u, p[threadIdx.x], 1); }

// ptx: shfl.sync.bfly 1; gcn: ds_bpermute 1
__global__ void butterfly(float *p) { p[threadIdx.x] = __shfl_xor_sync(~0u, p[threadIdx.x], 1); }

// ptx: shfl.sync.down 1; gcn: ds_bpermute 1
__global__ void in_segments(float *p) { p[threadIdx.x] = __shfl_down_sync(~0u, p[threadIdx.x], 1, 8); }

// ptx: shfl.sync.idx 1; gcn: ds_bpermute 1
__global__ void in_segments_of_any_size(float *p, int n) { p[threadIdx.x] = __shfl_sync(~0u, p[threadIdx.x], 0, n); }

// ptx: shfl.sync.bfly 2; gcn: ds_bpermute 2
__global__ void of_64_bits(double *p) { p[threadIdx.x] = __shfl_xor_sync(~0u, p[threadIdx.x], 1); }

// ptx: shfl.sync.idx 2; gcn: ds_bpermute 2
__global__ void of_a_long(long long *p) { p[threadIdx.x] = __shfl_sync(~0u, p[threadIdx.x], 3); }

// ptx: shfl.sync.down 1; gcn: ds_bpermute 1
__global__ void sum_in_a_loop(float *p) {
  float x = p[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1) x += __shfl_down_sync(0xffffffff, x, o);
  p[threadIdx.x] = x;
}

__device__ float sum_of_a_warp(float x) {
  x += __shfl_xor_sync(~0u, x, 16);
  x += __shfl_xor_sync(~0u, x, 8);
  x += __shfl_xor_sync(~0u, x, 4);
  x += __shfl_xor_sync(~0u, x, 2);
  return x + __shfl_xor_sync(~0u, x, 1);
}

// ptx: shfl.sync.bfly 5, bar.sync 1; gcn: ds_bpermute 5, s_barrier 1
__global__ void sum_of_a_block(float *p) {
  __shared__ float s[32];
  float x = sum_of_a_warp(p[threadIdx.x]);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x < 32) p[threadIdx.x] = sum_of_a_warp(s[threadIdx.x]);
}

// ptx: vote.sync.any 1
__global__ void any_lane(int *p) { p[threadIdx.x] = __any_sync(~0u, p[threadIdx.x] > 3); }

// ptx: vote.sync.all 1
__global__ void all_lanes(int *p) { p[threadIdx.x] = __all_sync(~0u, p[threadIdx.x] > 3); }

// ptx: vote.sync.ballot 1
__global__ void lanes_as_a_mask(int *p) { p[threadIdx.x] = __ballot_sync(~0u, p[threadIdx.x] > 3); }

// ptx: vote.sync.ballot 1; gcn: v_cmp_ne_u32 1
__global__ void number_of_lanes(int *p) { p[threadIdx.x] = __popcll(__ballot_sync(~0u, p[threadIdx.x])); }

// ptx: vote.sync.any 1, bar.sync 1; gcn: s_barrier 1
__global__ void vote_in_a_loop(int *p) {
  while (__any_sync(~0u, p[threadIdx.x] > 0)) p[threadIdx.x]--;
  __syncthreads();
}

// ptx: bar.red.popc 1; gcn: s_barrier 1
__global__ void barrier_that_counts(int *p) { p[threadIdx.x] = __syncthreads_count(p[threadIdx.x] > 3); }

// ptx: bar.red.and 1; gcn: s_barrier 1
__global__ void barrier_with_and(int *p) { p[threadIdx.x] = __syncthreads_and(p[threadIdx.x] > 3); }

// ptx: bar.red.or 1; gcn: s_barrier 1
__global__ void barrier_with_or(int *p) { p[threadIdx.x] = __syncthreads_or(p[threadIdx.x] > 3); }

// ptx: match.any.sync 1; gcn: v_cmp_ne_u32 32
__global__ void lanes_with_the_same_value(int *p) { p[threadIdx.x] = __match_any_sync(~0u, p[threadIdx.x]); }

// ptx: match.all.sync 1; gcn: v_cmp_ne_u32 32
__global__ void whether_all_are_equal(int *p) {
  int equal;
  p[threadIdx.x] = __match_all_sync(~0u, p[threadIdx.x], &equal);
  p[threadIdx.x + 64] = equal;
}

// ptx: redux.sync.add 1; gcn: v_cmp_ne_u32 32
__global__ void sum_of_integers(int *p) { p[threadIdx.x] = __reduce_add_sync(~0u, p[threadIdx.x]); }

// ptx: redux.sync.max 1; gcn: v_cmp_ne_u32 32
__global__ void greatest_integer(unsigned *p) { p[threadIdx.x] = __reduce_max_sync(~0u, p[threadIdx.x]); }

// ptx: activemask 1
__global__ void active_lanes(int *p) {
  if (p[threadIdx.x] > 3) p[threadIdx.x] = __popcll(__activemask());
}

// ptx: atom 1; gcn: global_atomic_add 1
__global__ void counted(int *p) { p[threadIdx.x + 1] = atomicAdd(p, threadIdx.x); }

// ptx: atom 1; gcn: global_atomic_cmpswap 1
__global__ void exchanged(int *p) { p[threadIdx.x + 1] = atomicCAS(p, 3, 4); }

// ptx: atom 1; gcn: global_atomic_inc 1
__global__ void wrapping(unsigned *p) { p[threadIdx.x + 1] = atomicInc(p, 7); }

// ptx: atom 1, bar.sync 2; gcn: ds_add 1, s_barrier 2
__global__ void histogram(int *p, int n) {
  __shared__ int bins[64];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[p[i] & 63], 1);
  __syncthreads();
  p[threadIdx.x] = bins[threadIdx.x];
}

// ptx: membar.gl 1
__global__ void fence_for_all(int *p) {
  p[0] = 1;
  __threadfence();
  p[1] = 2;
}

// ptx: membar.cta 1
__global__ void fence_for_the_block(int *p) {
  p[0] = 1;
  __threadfence_block();
  p[1] = 2;
}

// ptx: bar.sync 1, shfl.sync.down 1, vote.sync.all 1; gcn: s_barrier 1, ds_bpermute 1
__global__ void several_operations(int *p, int n) {
  int x = p[threadIdx.x];
  x += __shfl_down_sync(~0u, x, 1);
  if (__all_sync(~0u, x > n)) p[threadIdx.x] = x;
  __syncthreads();
  p[threadIdx.x + 64] = p[63 - threadIdx.x];
}

// ptx: bar.sync 1; gcn: s_barrier 1
__global__ void vectors_of_three(float3 *p, double4 *q, float *out) {
  __shared__ float3 tile[64];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  float3 other = tile[63 - threadIdx.x];
  other.x += other.z;
  p[threadIdx.x] = other;
  q[threadIdx.x].w = other.y;
  out[threadIdx.x] = sizeof(float3) + q[0].z;
}

// ptx: bar.sync 2; gcn: s_barrier 2
__global__ void block_as_a_group(int *p) {
  cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  p[block.thread_rank()] = block.group_index().x + block.size();
  block.sync();
  p[block.thread_index().x + 64] = p[63 - block.thread_rank()];
  cooperative_groups::sync(block);
  p[block.thread_rank()] = p[65];
}

// ptx: shfl.sync.idx 1, shfl.sync.up 1, shfl.sync.down 2, shfl.sync.bfly 1; gcn: ds_bpermute 5
__global__ void shuffles_of_tiles(int *p, double *q) {
  auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
  int x = p[threadIdx.x];
  x += tile.shfl(x, 3);
  x += tile.shfl_up(x, 1);
  x += tile.shfl_xor(x, 2);
  q[threadIdx.x] = tile.shfl_down(q[threadIdx.x], 1);
  p[threadIdx.x] = x + tile.meta_group_rank() * tile.thread_rank();
}

// ptx: vote.sync.any 1, vote.sync.all 1, vote.sync.ballot 1, bar.warp.sync 1
__global__ void votes_of_tiles(int *p) {
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  int x = p[threadIdx.x];
  p[threadIdx.x] = tile.any(x > 1) + tile.all(x > 2) * 2;
  p[threadIdx.x + 64] = tile.ballot(x > 3);
  tile.sync();
  p[threadIdx.x + 128] = p[threadIdx.x ^ 1];
}

// ptx: activemask 1, vote.sync.any 1, bar.warp.sync 1; gcn: v_cmp_ne_u32 1
__global__ void active_threads(int *p) {
  cooperative_groups::coalesced_group active = cooperative_groups::coalesced_threads();
  int all = active.any(p[threadIdx.x]);
  active.sync();
  if (active.thread_rank() == 0) p[0] = active.size() + all;
}

// ptx: shfl.sync.bfly 14, shfl.sync.up 7; gcn: ds_bpermute 21, v_cmp_ne_u32 1
__global__ void reductions_of_tiles(int *p, double *q) {
  auto block = cooperative_groups::this_thread_block();
  auto tile = cooperative_groups::tiled_partition<16>(block);
  auto warp = cooperative_groups::tiled_partition<32>(block);
  auto small = cooperative_groups::tiled_partition<8>(block);
  p[threadIdx.x] = cooperative_groups::reduce(tile, p[threadIdx.x], cooperative_groups::plus<int>());
  q[threadIdx.x] = cooperative_groups::reduce(warp, q[threadIdx.x], cooperative_groups::greater<double>());
  p[threadIdx.x + 64] = cooperative_groups::inclusive_scan(small, p[threadIdx.x], cooperative_groups::bit_or<int>());
  p[threadIdx.x + 128] = cooperative_groups::exclusive_scan(small, p[threadIdx.x], cooperative_groups::plus<int>());
}

// ptx: vprintf 4, bar.sync 1; gcn: none
__global__ void text(int *p, float x) {
  __shared__ char name[8];
  name[threadIdx.x & 7] = 0;
  __syncthreads();
  printf("done\n");
  printf("%d: %s\n", threadIdx.x, name);
  int written = printf("%f %c\n", x, name[0]);
  if (written < 0)
    printf(name);
}
