// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// arrayfire d7abcf23: rows of threads that have converged skip the barriers of a sweep by `continue`: as it was.

template <typename T> __device__ void jacobi(T *S, T *V, T *d, int m, int n) {
  const int tid_x = threadIdx.x, tid_y = threadIdx.y;
  __shared__ T acc[256];
  for (int it = 0; it < 30; it++) {
    bool converged = false;
    for (int i = 0; i < n - 1; i++) {
      for (int j = i + 1; j < n; j++) {
        T *Si = S + tid_y * 81 + i * m;
        T p = dot(Si, S + tid_y * 81 + j * m, m);
        if (abs(p) <= EPS * sqrt(d[tid_y * 9 + i] * d[tid_y * 9 + j]))
          continue;
        if (tid_x < m)
          acc[tid_y * 16 + tid_x] = p * Si[tid_x];
        __syncthreads(); //~ error[divergent-barrier]
        if (tid_x == 0)
          d[tid_y * 9 + i] = acc[tid_y * 16] + acc[tid_y * 16 + 1];
        __syncthreads(); //~ error[divergent-barrier]
        converged = true;
      }
      if (!converged)
        break;
    }
  }
}

__global__ void homography(float *S, float *V, float *d) {
  jacobi(S, V, d, 9, 9);
}
