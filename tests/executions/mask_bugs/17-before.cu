// openmm/openmm, 9f92ae40d, platforms/cuda/src/kernels/customNonbondedGroups.cu:46, 138 (state before the fix)
__device__ int reduceMax(int val) {
  for (int mask = 16; mask > 0; mask /= 2) val = max(val, __shfl_xor_sync(0xffffffff, val, mask));
  return val;
}
__global__ void interactionGroups(const Idx3 *range, float *force) {
  __shared__ float local[64];
  int tgx = threadIdx.x & 31, tbx = threadIdx.x - tgx;
  int rangeStart = range[threadIdx.x].x, rangeEnd = range[threadIdx.x].y;
  local[threadIdx.x] = 0;
  __syncwarp();
  int tj = tgx;
  for (int j = rangeStart; j < rangeEnd; j++) {
    local[tbx + tj] += 1.0f;
    tj = (tj == rangeEnd - 1 ? rangeStart : tj + 1);
    __syncwarp(); // BUG: full-mask-in-divergent-flow
  }
  force[threadIdx.x] = local[threadIdx.x];
}
