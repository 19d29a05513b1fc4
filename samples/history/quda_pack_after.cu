// quda 32a3ab06: The helper with the barrier runs only for the sites at the boundary: as it is.

__device__ float site_max(const float *f, int x, bool active) {
  __shared__ float v[1024];
  v[threadIdx.y * blockDim.x + threadIdx.x] = active ? fabsf(f[x * blockDim.y + threadIdx.y]) : 0.f;
  __syncthreads();
  float m = 0;
  for (int i = 0; i < blockDim.y; i++) m = fmaxf(m, v[i * blockDim.x + threadIdx.x]);
  return m;
}
__global__ void pack(const float *f, float *ghost, int volume, int faces) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  bool active = x < volume && x % 16 < faces;
  float m = site_max(f, x, active);
  if (active) ghost[x] = f[x] / m;
}
