// rapidsai/cudf, 99aed37ece5, cpp/src/strings/search/find_instance.cu:72, 73, 75, 79 (state after the fix)
namespace cg = cooperative_groups;
__global__ void find_instance(const char *str, int size, char target, int *result) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int lane_idx = warp.thread_rank(), count = 0;
  int byte_count = 0;
  int itr = lane_idx;
  while (byte_count + 1 <= size) {
    int found = itr + 1 <= size && str[itr] == target;
    count += cg::reduce(warp, found, cg::plus<int>());
    itr += 32;
    byte_count += 32;
  }
  if (lane_idx == 0) *result = count;
}
