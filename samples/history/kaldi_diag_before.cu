// kaldi bc13196e: the threads of elements behind the end return in front of the barriers of a reduction: as it was.

__global__ static void add_diag(float *v, int v_dim, const float *M, int cols, int stride, int threads_per_element) {
  __shared__ float data[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v_idx = i / threads_per_element, sub_idx = i % threads_per_element;
  if (v_idx >= v_dim)
    return;
  float sum = 0;
  for (int j = sub_idx; j < cols; j += threads_per_element)
    sum += M[v_idx * stride + j];
  data[threadIdx.x] = sum;
  __syncthreads(); //~ note[barrier-after-return]
  int total = threads_per_element;
  while (total > 1) {
    int half = (1 + total) >> 1;
    if (sub_idx < half)
      data[threadIdx.x] += sub_idx + half < total ? data[threadIdx.x + half] : 0;
    __syncthreads(); //~ note[barrier-after-return]
    total = half;
  }
  if (sub_idx == 0)
    v[v_idx] += data[threadIdx.x];
}
