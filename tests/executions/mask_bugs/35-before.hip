// ORNL/HeCBench, 63348430b, src/logic-rewrite-hip/refactor_mffc.cu:243, 247 (state before the fix)
__global__ void evalFactored(const int *in, int *out, int n) {
  unsigned warpMask;
  for (int idx = threadIdx.x; idx < n; idx += blockDim.x) {
    warpMask = __activemask(); // BUG: wave-width
    int peer = __shfl_xor_sync(warpMask, in[idx], 1, warpSize);
    out[idx] = in[idx] + peer;
  }
}
