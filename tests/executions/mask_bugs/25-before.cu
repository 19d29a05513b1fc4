// cp2k/cp2k, 814da85de8, src/grid/gpu/grid_gpu_collint.h:72 (state before the fix)
namespace cg = cooperative_groups;
__device__ void coalescedAtomicAdd(float *address, float val) {
  const cg::coalesced_group active = cg::coalesced_threads(); // BUG: activemask-as-mask
  float sum = cg::reduce(active, val, cg::plus<float>());
  if (active.thread_rank() == 0) atomicAdd(address, sum);
}
__global__ void integrate(const float *grid, float *cxyz, int n) {
  for (int l = 0; l < 10; ++l) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      coalescedAtomicAdd(cxyz + l, grid[i]);
    }
  }
}
