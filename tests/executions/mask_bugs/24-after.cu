// pytorch/pytorch, PR #98159 (2023-04; mended form is in the current file), aten/src/ATen/native/cuda/SortingRadixSelect.cuh:function countRadixUsingMask, WARP_BALLOT(vote, ACTIVE_MASK()) (state after the fix)
__global__ void countRadix(const unsigned *data, int *counts, int sliceSize, int digit) {
  int count = 0;
  unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < sliceSize);
  for (int i = threadIdx.x; i < sliceSize;) {
    bool vote = (data[i] & 3) == digit;
    count += __popc(__ballot_sync(mask, vote));
    i += blockDim.x;
    mask = __ballot_sync(mask, i < sliceSize);
  }
  if (threadIdx.x % 32 == 0) atomicAdd(counts, count);
}
