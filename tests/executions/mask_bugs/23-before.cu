// kokkos/kokkos, 2b0ac3eba, core/src/Cuda/Kokkos_Cuda_ReduceScan.hpp:317, 323, 329 and the copy in the second function (state before the fix)
__global__ void last_block(float *data, int n) {
  int id = threadIdx.y * blockDim.x + threadIdx.x;
  float value = data[id];
  int active = __ballot_sync(__activemask(), 1);
  float tmp = __shfl_down_sync(0xffffffff, value, 2, 32);
  if (id + 2 < n) value += tmp;
  active += __ballot_sync(__activemask(), 1); // BUG: activemask-as-mask
  tmp = __shfl_down_sync(0xffffffff, value, 4, 32);
  if (id + 4 < n) value += tmp;
  if (id == 0) data[0] = value + active;
}
