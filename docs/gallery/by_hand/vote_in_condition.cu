// Stop early when no thread of the block has found anything. All threads vote; threads outside the array vote no.
__global__ void search(const int *keys, int *found, int key, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int any = __syncthreads_or(i < n && keys[i] == key);
  if (i < n && any)
    found[i] = 1;
}
