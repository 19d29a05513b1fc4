// alpaka-group/mallocMC, c3605a6, src/include/mallocMC/creationPolicies/Scatter_impl.hpp:785 (state before the fix)
__device__ void *alloc_page(unsigned bytes);
__device__ void *alloc_serial(unsigned bytes) {
  void *res = 0;
  const uint32_t mask = __activemask(); // BUG: wave-width
  const unsigned num = __popcll(mask);
  const unsigned local_id = __popcll(mask & ((1ull << (threadIdx.x % warpSize)) - 1));
  for (unsigned active = 0; active < num; ++active)
    if (active == local_id) res = alloc_page(bytes);
  return res;
}
__global__ void user(void **out) { out[threadIdx.x] = alloc_serial(16); }
