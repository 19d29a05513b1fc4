// model: revised
// In the revision every statement of the span is in doubt, so the call of a helper with a barrier is reported there, and
// the call behind the span is not (docs/semantics.md §4b).
static void sync_all(local int *tile, int t) {
  tile[t]++;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
}

kernel void k(global int *data, local int *tile) {  // No execution shows it: local memory is undefined until it is written
  int t = get_local_id(0);
  sync_all(tile, t);  //~ defined
again:  //~ implementation-defined
  sync_all(tile, t);  //~ warning[implementation-defined-convergence]@3: sync_all
  if (tile[t ^ 1] < data[t])  //~ implementation-defined
    goto again;
  sync_all(tile, t);  //~ defined
}
