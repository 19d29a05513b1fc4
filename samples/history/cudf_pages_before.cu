// cudf 6cd0ee2f: Loop condition reads shared state that thread 0 rewrites first thing in the body: as it was.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct page_state { int error, rows; };
__global__ void decode(int *out, int last, int total) {
  __shared__ page_state g;
  auto block = cg::this_thread_block();
  page_state *const s = &g;
  const int t = block.thread_rank();
  if (t == 0) { s->error = 0; s->rows = 0; }
  block.sync();
  int done = 0;
  while (s->error == 0 && done < total && s->rows <= last) {  //~ warning[unprotected-exit-flag]
    done += min(256, total - done);
    if (t == 0) s->rows = done; //~ warning[implicit-warp-synchronous]: `s->rows`
    block.sync();
    out[t] += s->rows;
    block.sync();
  }
}
