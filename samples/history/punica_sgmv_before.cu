// punica 591b5989: the blocks of a grid sync as often as their segments are long: as it was.

#include <cooperative_groups.h>

template <bool cooperative, unsigned warps> __global__ void sgmv_shrink(float *y, const float *x, const unsigned *s, float *tmp) {
  // No execution shows it: no launch gives the template arguments.
  auto block = cooperative_groups::this_thread_block();
  auto grid = cooperative_groups::this_grid();
  const unsigned problem = blockIdx.y, bx = blockIdx.x;
  const unsigned s_start = s[problem], s_end = s[problem + 1];
  for (unsigned i = 0; i < (s_end - s_start + (warps * 16 - 1)) / (warps * 16); ++i) {
    float v = x[s_start + i * warps * 16 + threadIdx.x];
    if constexpr (cooperative) {
      tmp[bx * 16 + threadIdx.x] = v;
      grid.sync(); //~ error[divergent-grid-sync]
      for (unsigned chunk = 0; chunk < gridDim.x; chunk++)
        v += tmp[chunk * 16 + threadIdx.x];
    }
    block.sync();
    y[s_start + i] = v;
  }
}
