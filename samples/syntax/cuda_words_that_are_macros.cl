// Words of CUDA that the text defines are its own: nothing is to be said of them, and what is wrong beside them is told.
#define __device__ inline
#define __shared__ local
__device__ int twice(int a) { return 2 * a; }

kernel void k(global int *p) {
  __shared__ int tile[4];
  tile[0] = twice(p[0])  //~ error[syntax-error]: expected `;`
  p[0] = tile[0];
}
