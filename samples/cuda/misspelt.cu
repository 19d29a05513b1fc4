// An operation that is misspelt is none: told even where headers are missing. Of what else nothing declares there is one note for each name.
__global__ void k(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthread(); //~ warning[undeclared-function]: did you mean `__syncthreads`?
  syncthreads();  //~ warning[undeclared-function]: did you mean `__syncthreads`?
  p[threadIdx.x] = s[63 - threadIdx.x] + frobnicate(3); //~ note[undeclared-function]: `frobnicate`
  p[0] = frobnicate(4) + std::max(1, 2) + __vadd4(1, 2) + min(1, 2) + later(5);
}
__device__ int later(int x) { return x; }

// A name in capitals is a macro of who includes this.
__global__ void in_capitals(int *p) {
  p[0] = SHFL_XOR(p[1], 2);  //~ note[undeclared-function]: `SHFL_XOR`
}
