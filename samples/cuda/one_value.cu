// All lanes store one value, so it does not matter whose store a lane reads.

__global__ void the_same_value(int *p, int n) {
  __shared__ int limit;
  limit = n;
  if (threadIdx.x < limit)
    p[threadIdx.x] = 0;
}
