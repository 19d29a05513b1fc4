// rapidsai/cudf, 129f51c2e79, cpp/src/text/wordpiece_tokenize.cu:656 (after the stores of the loop before) (state after the fix)
namespace cg = cooperative_groups;
__global__ void find_words(const char *str, int *start_words, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int lane = tile.thread_rank(), last = 0;
  for (int i = lane; i < n; i += 32) {
    start_words[i] = str[i] == ' ' ? -1 : i;
    last = i;
  }
  tile.sync();
  if (lane == 0) {
    int found = 0;
    for (int i = 0; i < n; ++i)
      if (start_words[i] >= 0) start_words[found++] = start_words[i];
    last = found;
  }
  tile.sync();
  last = tile.shfl(last, 0);
  if (lane < last) start_words[lane] += 1;
}
