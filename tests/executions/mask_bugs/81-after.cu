// pytorch/FBGEMM, 0882af3d4, fbgemm_gpu/src/intraining_embedding_pruning_ops/intraining_embedding_pruning.cu:229 (state after the fix)
__global__ void pruning_lengths(const long *lookup, long *pruned, long *total, long rows) {
  long segment_length = (rows + blockDim.x - 1) / blockDim.x;
  long start = threadIdx.x * segment_length, end = min(start + segment_length, rows);
  if (start < rows) {
    for (long i = start; i < end; i++)
      if (lookup[i] < 0) pruned[threadIdx.x] += 1;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < blockDim.x; i++) *total += pruned[i];
}
