// kokkos/kokkos, 4694f0619, core/src/Cuda/Kokkos_Cuda_Task.hpp:627, 638 (also 692, 701) (state before the fix)
__global__ void team_scan(int *data, int start, int end) {
  int accum = 0;
  int lane = threadIdx.y;
  for (int i = start + lane; i < end; i += 32) {
    int val = data[i];
    for (int offset = 1; offset < 32; offset <<= 1) {
      int y = __shfl_up_sync(0xffffffff, val, offset, 32); // BUG: full-mask-in-divergent-flow
      if (lane >= offset) val += y;
    }
    int total = __shfl_sync(0xffffffff, val, 31, 32);
    data[i] = accum + val;
    accum += total;
  }
}
