// FBGEMM 0882af3d: threads without rows return in front of a barrier: as it was mended.

#include <hip/hip_runtime.h>

__global__ void get_pruning_lengths(const long *offsets, const long *lookups, long *pruned, long *lengths) {
  long rows = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
  long length = (rows + blockDim.x - 1) / blockDim.x;
  long start = threadIdx.x * length, end = start + length < rows ? start + length : rows;
  if (start < rows) {
    for (long i = start; i < end; i++)
      if (lookups[i] < 0)
        pruned[threadIdx.x] += 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    long sum = 0;
    for (int i = 0; i < blockDim.x; i++)
      sum += pruned[i];
    lengths[blockIdx.x] = sum;
  }
}
