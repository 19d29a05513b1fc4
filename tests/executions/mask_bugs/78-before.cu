// pytorch/FBGEMM, 04dbc5196, fbgemm_gpu/experimental/gen_ai/src/quantize/quantize.cu:1958 (state before the fix)
__device__ float compute_max(float v) {
  __shared__ float s[256];
  s[threadIdx.x] = fabsf(v);
  __syncthreads(); // BUG: other
  float m = 0;
  for (int i = 0; i < blockDim.x; ++i) m = fmaxf(m, s[i]);
  return m;
}
__global__ void amax_quantize(const float *x, float *y, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= n) return;
  float v = x[idx];
  float amax = compute_max(v);
  y[idx] = v / amax;
}
