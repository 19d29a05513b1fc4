// ORNL/HeCBench, f5f07f3ed, src/lsqt-cuda/vector.cu:250-255 (state before the fix)
__device__ void warp_reduce(volatile float *s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16]; // BUG: implicit-warp-synchronous
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}
__global__ void inner_product(const float *a, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) warp_reduce(s, t);
  if (t == 0) out[0] = s[0];
}
