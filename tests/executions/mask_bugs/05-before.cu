// sgl-project/sglang, PR #9620 (2025-08; same in vllm-project/vllm PR #24913, 2025-09), sgl-kernel/csrc/gemm/per_token_group_quant_8bit.cu:function GroupReduceMax, "unsigned mask = 0xffff" (index text, line 13) (state before the fix)
__device__ float GroupReduceMax(float val) {
  unsigned mask = 0xffff;
  val = fmaxf(val, __shfl_xor_sync(mask, val, 8)); // BUG: wrong-mask-constant
  val = fmaxf(val, __shfl_xor_sync(mask, val, 4));
  val = fmaxf(val, __shfl_xor_sync(mask, val, 2));
  val = fmaxf(val, __shfl_xor_sync(mask, val, 1));
  return val;
}
__global__ void per_token_group_quant(const float *in, float *scale, int groups) {
  int group = blockIdx.x * (blockDim.x / 16) + threadIdx.x / 16;
  float m = group < groups ? fabsf(in[group * 16 + threadIdx.x % 16]) : 0.0f;
  m = GroupReduceMax(m);
  if (group < groups && threadIdx.x % 16 == 0) scale[group] = m / 448.0f;
}
