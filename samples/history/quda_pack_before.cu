// quda 32a3ab06: The helper with the barrier runs only for the sites at the boundary: as it was.

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
  if (x >= volume) return;
  if (x % 16 < faces) {
    float m = site_max(f, x, true);  //~ error[divergent-barrier]
    ghost[x] = f[x] / m;
  }
}
