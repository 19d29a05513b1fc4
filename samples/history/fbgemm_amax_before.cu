// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// FBGEMM 04dbc519: threads behind the end return in front of a call that waits two calls deeper: as it was.

template <int THREAD_X, int THREAD_Y> __device__ float max_of_block(float x) {
  typedef cub::BlockReduce<float, THREAD_X> BlockReduce;
  __shared__ typename BlockReduce::TempStorage storage[THREAD_Y];
  __shared__ float amax[THREAD_Y];
  float m = BlockReduce(storage[threadIdx.y]).Reduce(fabsf(x), Max<float>());
  if (threadIdx.x == 0)
    amax[threadIdx.y] = m;
  __syncthreads();
  return amax[threadIdx.y];
}

template <int THREAD_X, int THREAD_Y> __device__ float max_of(float x) {
  if (THREAD_X == 32)
    return __shfl_sync(0xffffffff, x, 0);
  else
    return max_of_block<THREAD_X, THREAD_Y>(x);
}

template <typename T, int THREAD_X, int THREAD_Y> __global__ void amax_and_quantize(const T *x, T *y, long n, int blocksize) {
  const long idx = ((long)blockIdx.x * blockDim.y + threadIdx.y) * blocksize + threadIdx.x;
  if (idx >= n)
    return;
  float v = x[idx];
  float amax = max_of<THREAD_X, THREAD_Y>(v); //~ error[divergent-barrier]
  y[idx] = quantize(v, amax);
}
