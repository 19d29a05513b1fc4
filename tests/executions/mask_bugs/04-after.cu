// apache/tvm, 236eb31f09, src/tir/transforms/lower_thread_allreduce.cc:350 (code generator; the minimal form is the generated kernel) (state after the fix)
__global__ void allreduce(const float *A, float *B) {
  float red = A[threadIdx.y * 16 + threadIdx.x];
  unsigned mask = __activemask() & (65535u << (threadIdx.y * 16));
  red += __shfl_down_sync(mask, red, 8, 32);
  red += __shfl_down_sync(mask, red, 4, 32);
  red += __shfl_down_sync(mask, red, 2, 32);
  red += __shfl_down_sync(mask, red, 1, 32);
  red = __shfl_sync(mask, red, 16 * threadIdx.y, 32);
  if (threadIdx.x == 0) B[threadIdx.y] = red;
}
