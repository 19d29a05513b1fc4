// Words of CUDA that the text defines are its own.
#define __device__ inline
#define __shared__ local
__device__ int twice(int a) { return 2 * a; }

kernel void k(global int *p) {
  __shared__ int tile[4];
  tile[0] = twice(p[0]) = 1;  //~ error[type-error]: nothing can be stored
  p[0] = tile[0];
}
