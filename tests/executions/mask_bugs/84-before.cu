// lattice/quda, 32a3ab068, lib/color_spinor_pack.cu:112 (state before the fix)
__device__ float site_max(const float *v, int x) {
  __shared__ float s[256];
  s[threadIdx.x] = fabsf(v[x]);
  __syncthreads(); // BUG: other
  return fmaxf(s[threadIdx.x], s[threadIdx.x ^ 1]);
}
__global__ void pack(const float *in, float *out, int volume) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= volume) return;
  out[x] = in[x] / site_max(in, x);
}
