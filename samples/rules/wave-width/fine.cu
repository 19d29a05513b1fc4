// A warp has 32 lanes, so masks have 32 bits.

__global__ void votes(int *p) {
  unsigned mask = __ballot_sync(0xffffffff, p[threadIdx.x] > 0);
  p[threadIdx.x] = __popc(mask & ((1u << (threadIdx.x & 31)) - 1)) + __ffs(__activemask());
}
