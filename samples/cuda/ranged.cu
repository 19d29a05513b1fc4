// A range-based `for` is its `while` equivalent: threads that `continue` rejoin at its step, and those that leave it rejoin behind it.
__global__ void ranged(int *p, int n) {
  int a[4] = {1, 2, 3, n};
  for (int x : a) {
    if (p[threadIdx.x] == x)  //~ tangles: loop-body //~ defined
      continue;
    p[threadIdx.x] += x;  //~ tangles: sequence //~ defined
    if (p[threadIdx.x] > x)
      break;
  }
  __syncthreads();  //~ tangles: function-body //~ defined
}
