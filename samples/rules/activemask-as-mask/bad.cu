// An active mask has the lanes that happen to arrive together (docs/semantics.md §10).

__global__ void first_lane(int *p) {
  int v = p[threadIdx.x];
  v = __shfl_sync(__activemask(), v, 0); //~ warning[activemask-as-mask]: reads a lane that can be missing in the mask of `__activemask`
  p[threadIdx.x] = v;
}

__device__ int sum(int v) {
  unsigned mask = __activemask();
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(mask, v, d); //~ warning[activemask-as-mask]: this `__shfl_down_sync` reads a lane
  return v;
}

__global__ void in_a_function(int *p) { p[threadIdx.x] = sum(p[threadIdx.x]); }

__device__ int sum_of(unsigned mask, int v) {
  for (int d = 1; d < 32; d *= 2)
    v += __shfl_xor_sync(mask, v, d); //~ warning[activemask-as-mask]: this `__shfl_xor_sync` reads a lane
  return v;
}

__global__ void passed_on(int *p) { p[threadIdx.x] = sum_of(__activemask(), p[threadIdx.x]); }

__device__ int broadcast(int v, int lane) {
  return __shfl_sync(__activemask(), v, lane); //~ warning[activemask-as-mask]: this `__shfl_sync` reads a lane
}

__global__ void asked_twice(int *p, int *counter) {
  if (p[threadIdx.x] > 0) {
    unsigned mask = __activemask();
    int leader = __ffs(mask) - 1, first = 0;
    if (threadIdx.x % 32 == leader)
      first = atomicAdd(counter, __popc(mask));
    p[threadIdx.x] = broadcast(first, leader);
  }
}

__global__ void loop_of_each_lane(const int *in, int *total, int n) {
  int found = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    found += __popc(__ballot_sync(__activemask(), in[i] > 0)); //~ warning[activemask-as-mask]: lanes that arrive late
  if (threadIdx.x % 32 == 0)
    atomicAdd(total, found);
}

__global__ void bits_decide(const int *in, int *out) {
  int lane = threadIdx.x % 32;
  unsigned mask = __activemask(); //~ warning[activemask-as-mask]: one fixed lane stores the result for all
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) {
    int other = __shfl_down_sync(0xffffffff, v, d);
    if (lane + d < 32 && mask >> (lane + d) & 1)
      v += other;
  }
  if (lane == 0)
    out[threadIdx.x / 32] = v;
}

__global__ void vote(const int *in, int *out) {
  unsigned mask = __activemask(); //~ warning[activemask-as-mask]: lanes that arrive late are missing
  bool any = __any_sync(mask, in[threadIdx.x] > 3);
  if (threadIdx.x == 0)
    *out = any;
}

__global__ void neighbour(int *p) {
  unsigned mask = __activemask();
  int left = __shfl_up_sync(mask, p[threadIdx.x], 1); //~ warning[activemask-as-mask]: this `__shfl_up_sync` reads a lane
  p[threadIdx.x] += left;
}
