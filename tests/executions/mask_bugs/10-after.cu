// kokkos/kokkos, 67c88497f, core/src/Cuda/Kokkos_Cuda_Task.hpp:160, 168, 384 (state after the fix)
__device__ void team_barrier(int team_size) {
  if (1 < team_size) __syncwarp(0xffffffff);
}
__device__ void run_task(int *data, int team_size) {
  data[threadIdx.y] += 1;
  team_barrier(team_size);
}
__global__ void task_queue(int *data, const int *kinds, int n) {
  for (int t = 0; t < n; ++t) {
    if (kinds[t] == 0) {
      if (threadIdx.y == 0) run_task(data + t, 1);
    } else {
      run_task(data + t, 32);
    }
  }
}
