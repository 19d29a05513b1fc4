// Each lane that executes an operation is in its mask.

__global__ void named_lanes(int *p) {
  if (threadIdx.x % 32 < 8)
    p[threadIdx.x] = __shfl_sync(0xff, p[threadIdx.x], 0);
}

__global__ void two_halves(int *p) {
  int v = p[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v = __shfl_xor_sync(0xffff, v, 1);
  else
    v = __shfl_xor_sync(0xffff0000, v, 1);
  p[threadIdx.x] = v;
}

__global__ void odd_and_even(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  if (lane & 1)
    v = __any_sync(0xaaaaaaaa, v);
  else
    v = __any_sync(0x55555555, v);
  p[threadIdx.x] = v;
}

__global__ void mask_of_a_vote(int *p, unsigned *bits, int n) {
  int i = threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i < n)
    bits[i] = __ballot_sync(mask, p[i] > 0);
}

__global__ void both_votes_of_all_lanes(int *p, unsigned *bits, int n) {
  int i = threadIdx.x;
  bool is_valid = i < n && p[i] > 0;
  bits[i] = __ballot_sync(0xffffffff, i < n) & __ballot_sync(0xffffffff, is_valid);
}

// Threads that voted false have left.
__global__ void vote_and_return(int *p) {
  int v = p[threadIdx.x];
  unsigned mask = __ballot_sync(0xffffffff, v > 0);
  if (v <= 0)
    return;
  p[threadIdx.x] = __reduce_add_sync(mask, v);
}

// A branch on the mask leads only named lanes to the call.
__global__ void own_bit(int *p) {
  int lane = threadIdx.x & 31, v = p[threadIdx.x];
  unsigned mask = __ballot_sync(0xffffffff, v > 0);
  if (mask >> lane & 1)
    v = __reduce_add_sync(mask, v);
  p[threadIdx.x] = v;
}

__global__ void equal_values(int *p) {
  int v = p[threadIdx.x];
  unsigned mask = __match_any_sync(0xffffffff, v);
  p[threadIdx.x] = __reduce_add_sync(mask, v);
}

__device__ int first_of_four(unsigned mask, int v) { return __shfl_sync(mask, v, 0, 4); }

__global__ void mask_as_argument(int *p) {
  if (threadIdx.x % 32 < 8)
    p[threadIdx.x] = first_of_four(0xff, p[threadIdx.x]);
}

// The vote is the same in all lanes: the mask names all of them, or no lane calls.
__global__ void uniform_vote(int *p, int n) {
  unsigned mask = __ballot_sync(0xffffffff, n > 3);
  if (n > 3)
    p[threadIdx.x] = __reduce_add_sync(mask, p[threadIdx.x]);
}

// The number of voting lanes is a constant of the instantiation.
template <int count> __global__ void first_lanes(int *p) {
  int lane = threadIdx.x & 31;
  unsigned mask = __ballot_sync(0xffffffff, lane < count);
  if (lane < count)
    p[threadIdx.x] = __match_any_sync(mask, p[threadIdx.x]);
}
