// pytorch/FBGEMM, 9663f240d, fbgemm_gpu/src/sparse_ops/sparse_block_bucketize_features.cu:474, 479, 498, 499 (state before the fix)
__global__ void bucketize(const int *bucket, int *pos, int n) {
  int lane = threadIdx.x % warpSize;
  unsigned long long lt = (1ull << lane) - 1ull;
  bool valid = threadIdx.x < n;
  int my = valid ? bucket[threadIdx.x] : -1, preceding = 0;
  for (int p = 0; p < 8; p++) {
    const unsigned int m = __ballot_sync(~0ull, valid && my == p); // BUG: wave-width
    if (my == p) preceding = __popc(m & lt);
  }
  if (valid) pos[threadIdx.x] = preceding;
}
