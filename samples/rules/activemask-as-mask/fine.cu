// The lanes of an active mask act on their own.

__device__ int take_a_number(int *counter) {
  unsigned mask = __activemask();
  int lane = threadIdx.x % 32, leader = __ffs(mask) - 1, first = 0;
  if (lane == leader)
    first = atomicAdd(counter, __popc(mask));
  first = __shfl_sync(mask, first, leader);
  return first + __popc(mask & ((1u << lane) - 1));
}

__global__ void numbers(int *p, int *counter) {
  if (p[threadIdx.x] > 0)
    p[threadIdx.x] = take_a_number(counter);
}

__global__ void counted(int *out) {
  int lanes = __popc(__activemask());
  if (threadIdx.x == 0)
    *out = lanes;
}

__global__ void printed(const int *in) {
  if (in[threadIdx.x] > 0)
    printf("%x\n", __activemask());
}

__global__ void mask_of_a_ballot(int *p) {
  unsigned mask = __ballot_sync(0xffffffff, 1);
  for (int d = 16; d > 0; d /= 2)
    p[threadIdx.x] += __shfl_down_sync(mask, p[threadIdx.x], d);
}

__global__ void lane_that_is_there(int *p) {
  unsigned mask = __activemask();
  int lane = threadIdx.x % 32, v = p[threadIdx.x];
  int other = __shfl_xor_sync(mask, v, 1);
  if (mask >> (lane ^ 1) & 1)
    p[threadIdx.x] = v + other;
}

__device__ int from(unsigned mask, int v, int lane) { return __shfl_sync(mask, v, lane); }

__global__ void leader_in_a_function(int *p, int *counter) {
  unsigned mask = __activemask();
  int leader = __ffs(mask) - 1, first = 0;
  if (threadIdx.x % 32 == leader)
    first = atomicAdd(counter, __popc(mask));
  p[threadIdx.x] = from(mask, first, leader);
}

__global__ void each_lane_on_its_own(int *p) {
  unsigned mask = __activemask();
  p[threadIdx.x] = __any_sync(mask, p[threadIdx.x] > 3);
}

__global__ void leader_stores(int *p, int *out) {
  unsigned mask = __activemask();
  unsigned votes = __ballot_sync(mask, p[threadIdx.x] > 3);
  if (threadIdx.x % 32 == __ffs(mask) - 1)
    atomicAdd(out, __popc(votes));
}

__global__ void last_lane(int *p) {
  unsigned mask = __activemask();
  int last = 31 - __clz(mask);
  p[threadIdx.x] = __shfl_sync(mask, p[threadIdx.x], last);
}
