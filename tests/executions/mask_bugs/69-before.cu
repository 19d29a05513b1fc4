// NVIDIA/AMGX, d234495, src/aggregation/selectors/size2_selector.cu:380 (also multipass.cu, selector.cu) (state before the fix)
__global__ void countAggregates(const int *aggregates, int *num, int n) {
  __shared__ volatile int smem[256];
  int c = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) c += aggregates[i] == -1;
  smem[threadIdx.x] = c;
  __syncthreads();
  for (int off = blockDim.x / 2; off >= 32; off = off / 2) {
    if (threadIdx.x < off) smem[threadIdx.x] += smem[threadIdx.x + off];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    smem[threadIdx.x] += smem[threadIdx.x + 16];
    smem[threadIdx.x] += smem[threadIdx.x + 8]; // BUG: implicit-warp-synchronous
    smem[threadIdx.x] += smem[threadIdx.x + 4];
    smem[threadIdx.x] += smem[threadIdx.x + 2];
    smem[threadIdx.x] += smem[threadIdx.x + 1];
  }
  if (threadIdx.x == 0) atomicAdd(num, (int)smem[0]);
}
