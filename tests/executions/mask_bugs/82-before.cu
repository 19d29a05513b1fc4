// flashinfer-ai/flashinfer, 479f67e74, csrc/tinygemm2.cu:199, 358 (state before the fix)
__device__ unsigned elect_one_sync();
__global__ void tinygemm(const float *a, float *out) {
  __shared__ float reduction[128];
  int warp_id = threadIdx.x / 32;
  if (warp_id >= 4 && elect_one_sync()) {
    out[warp_id] = a[warp_id];
  } else if (warp_id < 4) {
    reduction[threadIdx.x] = a[threadIdx.x];
    __syncthreads(); // BUG: other
    if (warp_id == 0) out[threadIdx.x] = reduction[threadIdx.x] + reduction[threadIdx.x + 32];
  }
}
