// kokkos/kokkos, 01dc71c65, core/src/Cuda/Kokkos_Cuda_ReduceScan.hpp:515-519 (state before the fix)
__global__ void reduce_scan(int *data) {
  __shared__ volatile int s[32];
  int i = threadIdx.y, r = i ^ 31;
  s[i] = data[i];
  if (!(r & 1)) s[i] += s[i - 1];
  if (!(r & 3)) s[i] += s[i - 2]; // BUG: implicit-warp-synchronous
  if (!(r & 7)) s[i] += s[i - 4];
  if (!(r & 15)) s[i] += s[i - 8];
  if (!(r & 31)) s[i] += s[i - 16];
  data[i] = s[i];
}
