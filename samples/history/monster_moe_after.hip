// 1bit-MONSTER 2e84ca8a: waves without an expert skip a loop with barriers by `break` and `continue`: as it was mended.

#include <hip/hip_runtime.h>

__global__ void moe_gemv(const int *experts, const int *x, int *y, int num_experts, int top_k, int K) {
  const int tid = threadIdx.x, wave = tid >> 5, token = blockIdx.x;
  const int per_wave = (top_k + 3) / 4;
  __shared__ int shared_x[128];
  for (int kw = 0; kw < per_wave; ++kw) {
    const int slot = wave * per_wave + kw;
    const int expert = slot < top_k ? experts[token * top_k + slot] : -1;
    const bool ok = slot < top_k && expert >= 0 && expert < num_experts;
    int sum = 0;
    for (int k = 0; k < K; k += 128) {
      __syncthreads();
      shared_x[tid] = k + tid < K ? x[k + tid] : 0;
      __syncthreads();
      if (!ok)
        continue;
      for (int i = tid & 31; i < 128; i += 32)
        sum += shared_x[i] * expert;
    }
    if (ok && (tid & 31) == 0)
      y[token * num_experts + expert] = sum;
  }
}
