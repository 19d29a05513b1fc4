// alpaka-group/mallocMC, 68bf353, src/include/mallocMC/creationPolicies/Scatter_impl.hpp:622, 939 (also distributionPolicies/XMallocSIMD_impl.hpp) (state before the fix)
__device__ void *alloc_page(unsigned bytes);
__device__ void *alloc_serial(unsigned bytes) {
  void *res = 0;
  unsigned mask = __ballot_sync(0xFFFFFFFF, 1); // BUG: full-mask-in-divergent-flow
  unsigned local_id = __popc(mask & ((1u << (threadIdx.x % 32)) - 1));
  for (unsigned active = 0; active < __popc(mask); ++active)
    if (active == local_id) res = alloc_page(bytes);
  return res;
}
__global__ void user(void **out, const int *need) {
  if (need[threadIdx.x]) out[threadIdx.x] = alloc_serial(16);
}
