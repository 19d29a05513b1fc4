// pytorch/FBGEMM, 2aa387768, fbgemm_gpu/src/quantize_ops/quantize_mx.cuh:111 (state after the fix)
__global__ void quantize_mx4(const float *input, unsigned char *output, int total) {
  __shared__ float smem[256];
  int linear_tid = blockIdx.x * blockDim.x + threadIdx.x;
  const bool active = linear_tid < total;
  float elem = active ? input[linear_tid] : 0.0f;
  for (int mask = 16; mask > 0; mask /= 2) elem = fmaxf(elem, __shfl_xor_sync(0xffffffff, elem, mask));
  smem[threadIdx.x] = elem;
  __syncthreads();
  if (active) output[linear_tid] = (unsigned char)smem[threadIdx.x ^ 1];
}
