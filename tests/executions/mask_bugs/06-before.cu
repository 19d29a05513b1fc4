// brucefan1983/CUDA-Programming, 89487e0, src/10-warp/warp.cu:39, 45 (state before the fix)
__global__ void test_warp_primitives(int *out) {
  int tid = threadIdx.x;
  unsigned mask1 = 0xfffffffe;
  unsigned mask2 = 1;
  int result = __all_sync(0xffffffff, tid);
  result = __all_sync(mask1, tid); // BUG: caller-not-in-mask
  if (tid == 1) out[0] = result;
  result = __any_sync(mask2, tid); // BUG: caller-not-in-mask
  if (tid == 0) out[1] = result;
}
