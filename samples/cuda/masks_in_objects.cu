// Masks in members of objects, and masks that callers pass.
struct Mask {
  unsigned lanes;
};

__global__ void in_a_member(int *p) {
  Mask mask{0xffffffff};
  if (threadIdx.x < 3)
    p[threadIdx.x] = __shfl_sync(mask.lanes, p[threadIdx.x], 0); //~ error[full-mask-in-divergent-flow]: lanes 3 to 31
}

__global__ void changed_member(int *p) {
  Mask mask{0xffffffff};
  mask.lanes = 7;
  if (threadIdx.x % warpSize < 3)
    p[threadIdx.x] = __shfl_sync(mask.lanes, p[threadIdx.x], 0);
}

__device__ int first(Mask mask, int v) {
  return __shfl_sync(mask.lanes, v, 0);
}

__global__ void passed_object(int *p) {
  Mask mask;
  mask.lanes = 0xffffffff;
  if (threadIdx.x < 3)
    p[threadIdx.x] = first(mask, p[threadIdx.x]); //~ error[full-mask-in-divergent-flow]: this call of `first`
}

__global__ void passed_part(int *p) {
  Mask mask;
  mask.lanes = 7;
  if (threadIdx.x % warpSize < 3)
    p[threadIdx.x] = first(mask, p[threadIdx.x]);
}

class Warp {
  unsigned lanes;

public:
  __device__ Warp() : lanes(0xffffffff) {}
  __device__ Warp(unsigned some) : lanes(some) {}
  __device__ int first(int v) { return __shfl_sync(lanes, v, 0); }
  __device__ int first_of_three(int v) {
    if (threadIdx.x % warpSize < 3)
      v = __shfl_sync(lanes, v, 0); //~ error[full-mask-in-divergent-flow]: lanes 3 to 31
    return v;
  }
  __device__ int first_of_few(int v) {
    if (threadIdx.x % warpSize < 3)
      v = __shfl_sync(lanes, v, 0);
    return v;
  }
  __device__ void narrow() { lanes = 7; }
};

__global__ void member_of_this(int *p) {
  Warp warp;
  if (threadIdx.x < 3)
    p[threadIdx.x] = warp.first(p[threadIdx.x]); //~ error[full-mask-in-divergent-flow]: this call of `first`
}

__global__ void branch_in_a_method(int *p) {
  Warp warp;
  p[threadIdx.x] = warp.first_of_three(p[threadIdx.x]);
}

__global__ void member_from_an_argument(int *p) {
  Warp warp(7);
  p[threadIdx.x] = warp.first_of_few(p[threadIdx.x]);
  if (threadIdx.x % warpSize < 3)
    p[threadIdx.x] = warp.first(p[threadIdx.x]);
}

__global__ void member_changed_by_a_method(int *p) {
  Warp warp;
  warp.narrow();
  if (threadIdx.x % warpSize < 3)
    p[threadIdx.x] = warp.first(p[threadIdx.x]);
}

__device__ int first_of_three(unsigned mask, int v) {
  if (threadIdx.x % warpSize < 3)
    v = __shfl_sync(mask, v, 0); //~ error[full-mask-in-divergent-flow]: lanes 3 to 31
  return v;
}

__global__ void from_two_callers(int *p, int n) {
  int v = p[threadIdx.x];
  if (n)
    v = first_of_three(7, v);
  else
    v = first_of_three(0xffffffff, v);
  p[threadIdx.x] = v;
}

__device__ int first_of_few(unsigned mask, int v) {
  if (threadIdx.x % warpSize < 3)
    v = __shfl_sync(mask, v, 0);
  return v;
}

__global__ void from_one_caller(int *p) {
  p[threadIdx.x] = first_of_few(7, p[threadIdx.x]);
}

// Each half of the warp enters the helper by its own call, so the lanes of a mask do not wait for the other half.
__device__ int first_of_half(unsigned mask, int v) {
  if (threadIdx.x % warpSize < 16)
    v = __shfl_sync(mask, v, 0);
  return v;
}

__global__ void entered_by_halves(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % warpSize < 16)
    v = first_of_half(0xffff, v); //~ note[merged-convergent-branches]
  else
    v = first_of_half(0xffff0000, v);
  p[threadIdx.x] = v;
}
