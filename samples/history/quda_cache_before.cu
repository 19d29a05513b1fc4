// quda 637471fe: The barrier is a method of a cache object and runs only for complete sites: as it was.

struct Cache {
  __device__ float *at() { __shared__ float s[256]; return s; }
  __device__ void save(float v) { at()[threadIdx.y * blockDim.x + threadIdx.x] = v; }
  __device__ void sync() { __syncthreads(); }
  __device__ float load(int y) { return at()[y * blockDim.x + threadIdx.x]; }
};
__global__ void twist(const float *in, float *out, const int *complete, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, flavor = threadIdx.y;
  float v = in[flavor * n + x];
  if (complete[x]) {
    Cache c;
    c.save(v);
    c.sync();  //~ error[divergent-barrier]
    v += c.load(1 - flavor);
  }
  out[flavor * n + x] = v;
}
