// NVIDIA/cuCollections, f249c443, include/cuco/detail/static_multimap.inl:1224, 1408 (state before the fix)
namespace cg = cooperative_groups;
__global__ void retrieve(const int *slots, int key, int *out) {
  __shared__ int counter[32];
  auto g = cg::tiled_partition<8>(cg::this_thread_block());
  int *cg_counter = counter + g.meta_group_rank();
  if (g.thread_rank() == 0) *cg_counter = 0;
  g.sync();
  for (int s = 0; s < 64; s += 8) {
    bool equals = slots[s + g.thread_rank()] == key;
    unsigned exists = g.ballot(equals);
    if (exists) {
      int output_idx = *cg_counter; // BUG: implicit-warp-synchronous
      if (equals) out[output_idx + __popc(exists & ((1u << g.thread_rank()) - 1))] = s;
      if (g.thread_rank() == 0) *cg_counter += __popc(exists);
    }
    g.sync();
  }
}
