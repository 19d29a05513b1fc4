// kokkos/kokkos, 4aa511a73, core/src/Cuda/Kokkos_Cuda_Task.hpp:446, 470 (state before the fix)
__device__ int team_reduce(int v, int team_size) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d); // BUG: full-mask-in-divergent-flow
  return __shfl_sync(0xffffffff, v, 0);
}
__global__ void task_queue(int *data, const int *kinds, int n) {
  for (int t = 0; t < n; ++t) {
    if (kinds[t] == 0) {
      if (threadIdx.y == 0) data[t] = team_reduce(data[t], 1);
    } else {
      data[t] = team_reduce(data[t], 32);
    }
  }
}
