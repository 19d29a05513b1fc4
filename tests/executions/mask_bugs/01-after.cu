// NVIDIA/cutlass, 8783c4185, examples/45_dual_gemm/kernel/dual_gemm.h:367 (same in examples/13_two_tensor_op_fusion/kernel/b2b_gemm.h:656) (state after the fix)
__global__ void dual_gemm(float *out, const float *in, int n) {
  int warp_idx = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);
  int lane_idx = threadIdx.x % 32;
  int i = blockIdx.x * blockDim.x + warp_idx * 32 + lane_idx;
  if (i < n) out[i] = in[i] * 2.0f;
}
