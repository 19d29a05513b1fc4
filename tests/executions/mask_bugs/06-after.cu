// brucefan1983/CUDA-Programming, 89487e0, src/10-warp/warp.cu:39, 45 (state after the fix)
__global__ void test_warp_primitives(int *out) {
  int tid = threadIdx.x;
  unsigned mask1 = 0xfffffffe;
  unsigned mask2 = 1;
  int result = __all_sync(0xffffffff, tid);
  if (tid != 0) result = __all_sync(mask1, tid);
  if (tid == 1) out[0] = result;
  if (tid == 0) result = __any_sync(mask2, tid);
  if (tid == 0) out[1] = result;
}
