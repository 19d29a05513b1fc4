// kokkos/kokkos, 01dc71c65, core/src/Cuda/Kokkos_Cuda_ReduceScan.hpp:515-519 (state after the fix)
__global__ void reduce_scan(int *data) {
  __shared__ volatile int s[32];
  int i = threadIdx.y, r = i ^ 31;
  s[i] = data[i];
  __syncwarp();
  if (!(r & 1)) s[i] += s[i - 1];
  __syncwarp();
  if (!(r & 3)) s[i] += s[i - 2];
  __syncwarp();
  if (!(r & 7)) s[i] += s[i - 4];
  __syncwarp();
  if (!(r & 15)) s[i] += s[i - 8];
  __syncwarp();
  if (!(r & 31)) s[i] += s[i - 16];
  __syncwarp();
  data[i] = s[i];
}
