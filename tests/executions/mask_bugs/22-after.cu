// AdaptiveCpp/AdaptiveCpp, eef31328, include/hipSYCL/sycl/libkernel/cuda/group_functions.hpp:99, 117, 149 (state after the fix)
__global__ void reduce_over_group(const int *in, int *out) {
  int lid = threadIdx.x % 32;
  const unsigned activemask = __ballot_sync(0xffffffff, 1);
  int x = in[threadIdx.x];
  for (int i = 16; i > 0; i /= 2) {
    int other = __shfl_sync(0xffffffff, x, lid + i);
    if (lid + i < 32 && (activemask & (1u << (lid + i)))) x += other;
  }
  if (lid == 0) out[threadIdx.x / 32] = x;
}
