// flashinfer-ai/flashinfer, ba2b4aa63, include/flashinfer/attention/persistent.cuh:521 (WAR on s_smem and v_smem between iterations) (state after the fix)
__global__ void persistent_reduce(const float *S, float *out, int n, int workers) {
  __shared__ float s_smem[32];
  int lane = threadIdx.x;
  for (int i = blockIdx.x; i < n; i += workers) {
    __syncwarp();
    s_smem[lane] = S[i * 32 + lane];
    __syncwarp();
    float m = 0;
    for (int k = 0; k < 32; ++k) m += s_smem[k];
    out[i * 32 + lane] = m;
  }
}
