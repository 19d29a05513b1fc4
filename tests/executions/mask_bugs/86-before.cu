// lattice/quda, 14956f5ae, include/targets/cuda/block_reduce_helper.h:219 (state before the fix)
__global__ void block_reduce(const float *in, float *out) {
  __shared__ float storage[32];
  int warp_idx = threadIdx.x / 32;
  int warp_items = blockDim.x / 32; // BUG: other
  unsigned mask = __ballot_sync(0xffffffff, 1);
  float v = in[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) {
    float t = __shfl_down_sync(mask, v, o);
    int from = threadIdx.x % 32 + o;
    if (from < 32 && (mask >> from & 1)) v += t;
  }
  if (threadIdx.x % 32 == 0) storage[warp_idx] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < warp_items; i++) sum += storage[i];
    out[0] = sum;
  }
}
