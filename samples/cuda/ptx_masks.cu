// Inline PTX names its lanes as the intrinsics do: by a number, or by an operand of the assembly.

__global__ void shuffle_in_a_branch(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x < 4)
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" //~ error[full-mask-in-divergent-flow]: lanes 4 to 31 of the mask
                 : "+r"(v));
  p[threadIdx.x] = v;
}

__global__ void shuffle_of_four_lanes(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x < 4)
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xf;" : "+r"(v));
  p[threadIdx.x] = v;
}

__global__ void mask_as_operand(int *p) {
  unsigned mask = 0xf;
  int v = p[threadIdx.x], w = 0;
  if (threadIdx.x < 8)
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, %2;" : "=r"(w) : "r"(v), "r"(mask)); //~ error[caller-not-in-mask]: lanes 4 to 7
  p[threadIdx.x] = w;
}

__global__ void barrier_of_half_a_warp(int *p) {
  p[threadIdx.x] += 1;
  asm volatile("bar.warp.sync %0;" ::"n"(0xffff)); //~ warning[wrong-mask-constant]: lanes 16 to 31
}

__global__ void vote_in_a_branch(int *p) {
  int any = 0;
  if (threadIdx.x & 1)
    asm volatile("{ .reg .pred q; vote.sync.any.pred q, 1, 0xffffffff; selp.s32 %0, 1, 0, q; }" : "=r"(any)); //~ error[full-mask-in-divergent-flow]
  p[threadIdx.x] = any;
}

__global__ void vote_of_the_lanes_that_come(int *p, int n) {
  int any = 0;
  unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n);
  if (threadIdx.x < n)
    asm volatile("{ .reg .pred q; vote.sync.any.pred q, 1, %1; selp.s32 %0, 1, 0, q; }" : "=r"(any) : "r"(mask));
  p[threadIdx.x] = any;
}

__global__ void sum_of_all(int *p) {
  int v = p[threadIdx.x];
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(v) : "r"(v));
  p[threadIdx.x] = v;
}

__global__ void sum_in_a_branch(int *p) {
  int v = p[threadIdx.x];
  if (v > 0)
    asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(v) : "r"(v)); //~ warning[full-mask-in-divergent-flow]
  p[threadIdx.x] = v;
}
