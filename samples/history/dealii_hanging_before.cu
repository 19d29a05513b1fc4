// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// dealii b1b35e9d: cells of one block have different masks, and their threads wait only if the mask says so: as it was.

template <int degree, int direction> __device__ inline void interpolate(const unsigned mask, float *values) {
  const unsigned x = threadIdx.x % (degree + 1), y = threadIdx.y;
  if (mask & (direction == 0 ? FACE_Y : FACE_X)) {
    __syncthreads(); //~ error[divergent-barrier]
    float t = values[degree * y];
    __syncthreads(); //~ error[divergent-barrier]
    values[x] = t;
  }
}

template <int degree> __device__ inline void resolve_hanging_nodes(const unsigned mask, float *values) {
  interpolate<degree, 0>(mask, values);
  interpolate<degree, 1>(mask, values);
}

template <int degree> __global__ void apply(const unsigned *masks, const float *src, float *dst, int cells_per_block) {
  __shared__ float shared[512];
  const unsigned local_cell = threadIdx.x / (degree + 1), cell = local_cell + cells_per_block * blockIdx.x;
  float *values = shared + local_cell * 64;
  const unsigned mask = masks[cell];
  values[threadIdx.y] = src[cell];
  if (mask)
    resolve_hanging_nodes<degree>(mask, values); //~ error[divergent-barrier]
  __syncthreads();
  dst[cell] = values[threadIdx.y];
}
