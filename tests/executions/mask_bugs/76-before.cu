// rapidsai/cudf, 99aed37ece5, cpp/src/strings/search/find_instance.cu:72, 73, 75, 79 (state before the fix)
namespace cg = cooperative_groups;
__global__ void find_instance(const char *str, int size, char target, int *result) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int lane_idx = warp.thread_rank(), count = 0;
  for (int itr = lane_idx; itr + 1 <= size; itr += 32) {
    int found = str[itr] == target;
    count += cg::reduce(warp, found, cg::plus<int>()); // BUG: group-sync-outside-group
  }
  if (lane_idx == 0) *result = count;
}
