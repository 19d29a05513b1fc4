// HeCBench 5a5652af: threads retire from a loop, and its barrier is theirs no more: as it was.

template <typename T> __global__ void sosfilt(int n_signals, int n_sections, T *__restrict__ x_in) {
  extern __shared__ T s_out[];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(blockIdx.y);
  s_out[tx] = 0;
  __syncthreads();
  if (ty < n_signals) {
    for (int n = 0; n < n_sections; n++) {
      // retire threads that are less than n
      if (tx > n) {
        T temp = s_out[tx - 1] * x_in[ty];
        s_out[tx] = temp; //~ warning[implicit-warp-synchronous]: `s_out[tx - 1]`
        __syncthreads(); //~ error[divergent-barrier]
      }
    }
  }
}
