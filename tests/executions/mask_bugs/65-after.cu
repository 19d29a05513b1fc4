// rapidsai/cudf, 35061732be3, cpp/src/io/parquet/page_delta_decode.cu:about 762 (also delta_binary.cuh, block level); backport c0d1ac69dcf (state after the fix)
namespace cg = cooperative_groups;
struct decoder { int pos, value; };
__device__ int skip_values(decoder *db, int skip, int lane) {
  int sum = 0;
  for (int i = lane; i < skip; i += 32) sum += db->value + i;
  return sum;
}
__global__ void decode(int *offset, int skip) {
  __shared__ decoder db;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  if (warp.thread_rank() == 0) db.pos = db.value = 1;
  warp.sync();
  int off = skip_values(&db, skip, warp.thread_rank());
  warp.sync();
  if (warp.thread_rank() == 0) {
    *offset = off;
    db.value = 0;
  }
}
