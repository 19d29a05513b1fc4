// punica-ai/punica, 591b598, csrc/sgmv_flashinfer/sgmv_flashinfer.cuh:265 (loop at 46) (state after the fix)
namespace cg = cooperative_groups;
__global__ void sgmv_shrink(float *y, const int *s, int num_problems) {
  auto grid = cg::this_grid();
  int problem = blockIdx.y;
  int num_steps = (s[problem + 1] - s[problem] + 63) / 64;
  for (int i = 0; i < num_steps; ++i) {
    y[problem * 64 + threadIdx.x] += i;
    grid.sync();
  }
  int max_size = 0;
  for (int i = 0; i < num_problems; ++i) max_size = max(max_size, s[i + 1] - s[i]);
  int max_steps = (max_size + 63) / 64;
  for (int i = 0; i < max_steps - num_steps; ++i) grid.sync();
}
