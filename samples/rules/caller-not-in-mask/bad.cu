// In divergent control flow, lanes execute an operation and are not in its mask (docs/semantics.md §10).

__global__ void too_few_named(int *p) {
  if (threadIdx.x % 32 < 8)
    p[threadIdx.x] = __shfl_sync(0xf, p[threadIdx.x], 0); //~ error[caller-not-in-mask]: lanes 4 to 7 execute this `__shfl_sync`, but are not in the mask 0xf
}

__global__ void other_half(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v = __shfl_xor_sync(0xffff0000, v, 1); //~ error[caller-not-in-mask]: lanes 0 to 15
  p[threadIdx.x] = v;
}

__global__ void sides_exchanged(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  if (lane & 1)
    v = __any_sync(0x55555555, v); //~ error[caller-not-in-mask]: lanes 1, 3, 5 and others execute this `__any_sync`
  else
    v = __any_sync(0xaaaaaaaa, v); //~ error[caller-not-in-mask]: lanes 0, 2, 4 and others
  p[threadIdx.x] = v;
}

// Lanes that return are not the problem.
__global__ void after_return(int *p) {
  if (threadIdx.x % 32 >= 20)
    return;
  p[threadIdx.x] = __ballot_sync(0xffff, p[threadIdx.x]); //~ error[caller-not-in-mask]: lanes 16 to 19
}

__global__ void one_lane(int *p) {
  if (threadIdx.x % 32 == 3)
    p[threadIdx.x] = __shfl_sync(1, p[threadIdx.x], 0); //~ error[caller-not-in-mask]: lane 3 executes this `__shfl_sync`, but is not in the mask 0x1
}

__device__ int first_of_four(unsigned mask, int v) { return __shfl_sync(mask, v, 0, 4); }

__global__ void mask_as_argument(int *p) {
  if (threadIdx.x % 32 < 12)
    p[threadIdx.x] = first_of_four(0xff, p[threadIdx.x]); //~ error[caller-not-in-mask]: lanes 8 to 11 execute `first_of_four`
}

__global__ void one_case(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  switch (lane / 8) {
  case 1:
    v = __reduce_max_sync(0xff, v); //~ error[caller-not-in-mask]: lanes 8 to 15
  }
  p[threadIdx.x] = v;
}

// The values decide which lanes come.
__global__ void by_value(int *p) {
  int v = p[threadIdx.x];
  if (v > 3)
    v = __reduce_max_sync(0xff, v); //~ warning[caller-not-in-mask]: lanes 8 to 31 may execute this `__reduce_max_sync`
  p[threadIdx.x] = v;
}

// All lanes call with the mask of a vote. It names only the lanes that voted true.
__global__ void mask_of_a_vote(int *p, unsigned *bits, int n) {
  int i = threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, i < n);
  bool is_valid = i < n && p[i] > 0;
  bits[i] = __ballot_sync(mask, is_valid); //~ error[caller-not-in-mask]: lanes outside the mask also reach `__ballot_sync`
}

__global__ void vote_about_values(int *p) {
  int v = p[threadIdx.x];
  unsigned mask = __ballot_sync(0xffffffff, v != 0);
  if (v != 0)
    p[0] = 1;
  p[threadIdx.x] = __shfl_sync(mask, v, __ffs(mask) - 1); //~ error[caller-not-in-mask]: the vote
}
