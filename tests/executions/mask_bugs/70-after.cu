// ORNL/HeCBench, f5f07f3ed, src/lsqt-cuda/vector.cu:250-255 (state after the fix)
__device__ void warp_reduce(volatile float *s, int t) {
  float v = s[t];
  for (int d = 32; d > 0; d /= 2) {
    v += s[t + d];
    __syncwarp();
    s[t] = v;
    __syncwarp();
  }
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
