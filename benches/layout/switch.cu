__global__ void operations(const int *op, float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (op[i]) {
  case 0: v = v + 1; break;
  case 1: v = v * 2; break;
  case 2:
  case 3: v = v * v; break;
  case 4: v = sqrtf(v); break;
  case 5: v = __shfl_sync(0xffffffff, v, 0); break;
  case 6: v = -v;
  case 7: v = v - 1; break;
  case 8: v = 0; break;
  case 9: __syncthreads(); break;
  case 10: v = 10; break;
  default: v = 1; break;
  }
  x[i] = v;
}
