// lattice/quda, 32a3ab068, lib/color_spinor_pack.cu:112 (state after the fix)
__device__ float site_max(const float *v, int x, bool active) {
  __shared__ float s[256];
  s[threadIdx.x] = active ? fabsf(v[x]) : 1.0f;
  __syncthreads();
  return fmaxf(s[threadIdx.x], s[threadIdx.x ^ 1]);
}
__global__ void pack(const float *in, float *out, int volume) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  bool active = x < volume;
  float m = site_max(in, x, active);
  if (active) out[x] = in[x] / m;
}
