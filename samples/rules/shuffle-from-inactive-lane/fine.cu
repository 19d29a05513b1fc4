// Each lane reads a lane that is there.

__global__ void first_lane(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] -= __shfl_sync(0xffffffff, p[i], 0);
}

__global__ void lane_below(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] -= __shfl_up_sync(0xffffffff, p[i], 1);
}

__global__ void guarded_work(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0)
    atomicAdd(out, v);
}

__global__ void whole_warps_leave(float *p, int rows) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows)
    return;
  float v = p[row * 32 + threadIdx.x % 32];
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_xor_sync(0xffffffff, v, d);
  p[row * 32 + threadIdx.x % 32] = v;
}

__global__ void checked_lane(int *p, int n) {
  int i = threadIdx.x, lane = i % 32;
  if (i >= n)
    return;
  int other = __shfl_down_sync(0xffffffff, p[i], 1);
  if (i + 1 < n && lane < 31)
    p[i] += other;
}

__global__ void within_the_mask(int *p) {
  int lane = threadIdx.x % 32;
  if (lane < 8)
    p[lane] += __shfl_xor_sync(0xff, p[lane], 4);
}

__global__ void end_of_the_mask(int *p) {
  int lane = threadIdx.x % 32, v = p[lane];
  if (lane < 8) {
    v += __shfl_down_sync(0xff, v, 4);
    v += __shfl_down_sync(0xff, v, 2);
    v += __shfl_down_sync(0xff, v, 1);
  }
  if (lane == 0)
    p[0] = v;
}

__global__ void mask_of_those_in_range(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i >= n)
    return;
  p[i] = __shfl_sync(mask, p[i], __ffs(mask) - 1);
}

__global__ void votes_after_a_return(int *p, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  p[i] = __any_sync(0xffffffff, p[i] > 0) + __popc(__ballot_sync(0xffffffff, p[i] > 1));
}

__global__ void segments(int *p) {
  int lane = threadIdx.x % 32;
  if (lane >= 16)
    p[lane] += __shfl_sync(0xffff0000, p[lane], 0, 16);
}
