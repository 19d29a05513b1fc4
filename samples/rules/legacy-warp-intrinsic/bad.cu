// Warp operations without a mask are deprecated since CUDA 9.0.

__global__ void shfl(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl(v, 0); //~ note[legacy-warp-intrinsic]: `__shfl` does not say which lanes take part; it is deprecated since CUDA 9.0
}

__global__ void shfl_up(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_up(v, 1); //~ note[legacy-warp-intrinsic]: `__shfl_up` does not say which lanes take part; it is deprecated since CUDA 9.0
}

__global__ void shfl_down(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_down(v, 1); //~ note[legacy-warp-intrinsic]: `__shfl_down` does not say which lanes take part; it is deprecated since CUDA 9.0
}

__global__ void shfl_xor(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __shfl_xor(v, 1); //~ note[legacy-warp-intrinsic]: `__shfl_xor` does not say which lanes take part; it is deprecated since CUDA 9.0
}

__global__ void any(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __any(v > 0); //~ note[legacy-warp-intrinsic]: `__any` does not say which lanes take part; it is deprecated since CUDA 9.0
}

__global__ void all(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __all(v > 0); //~ note[legacy-warp-intrinsic]: `__all` does not say which lanes take part; it is deprecated since CUDA 9.0
}

__global__ void ballot(int *p) {
  int v = p[threadIdx.x];
  p[threadIdx.x] = __ballot(v > 0); //~ note[legacy-warp-intrinsic]: `__ballot` does not say which lanes take part; it is deprecated since CUDA 9.0
}

__global__ void with_a_width(int *p) {
  p[threadIdx.x] += __shfl_xor(p[threadIdx.x], 1, 8); //~ note[legacy-warp-intrinsic]: `__shfl_xor`
}

__device__ int sum(int v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down(v, d); //~ note[legacy-warp-intrinsic]: `__shfl_down`
  return v;
}

__global__ void helper(int *p) { p[threadIdx.x] = sum(p[threadIdx.x]); }
