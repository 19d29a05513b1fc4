// espresso edf0b503: a barrier to throttle a loop that each thread leaves when it is done: as it was.

struct Parameters { float *mass; int *child; int nodes; };
__constant__ Parameters bh;
__device__ volatile int bottom;

__global__ void summarize() {
  // No execution shows it: the pointers come from a constant variable of the host.
  const int inc = blockDim.x * gridDim.x;
  int k = bottom + threadIdx.x + blockIdx.x * blockDim.x, missing = 0;
  while (k <= bh.nodes) {
    float m = bh.mass[bh.child[k * 8]];
    missing = m < 0.0f;
    if (missing == 0) {
      bh.mass[k] = m;
      k += inc;
    }
    __syncthreads(); //~ error[divergent-barrier]
  }
}
