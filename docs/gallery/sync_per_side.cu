// Load a tile with a halo of zeros. Each side of the branch waits for "its" threads.
__global__ void load(const float *in, float *out, int n) {
  __shared__ float tile[256];
  if (threadIdx.x < n) {
    tile[threadIdx.x] = in[threadIdx.x];  // inside
    __syncthreads();
  } else {
    tile[threadIdx.x] = 0;  // halo
    __syncthreads();
  }
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
