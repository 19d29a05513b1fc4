// `async_work_group_copy` and `wait_group_events` must be met by the whole work-group; behind a label that a jump reaches
// that is left to the implementation (thread-convergence, The goto Statement).
kernel void staged(global const int *in, global int *out, local int *tile, int n) {
  int t = get_local_id(0);
  event_t copied = async_work_group_copy(tile, in, n, 0);  //~ defined
  wait_group_events(1, &copied);  //~ defined
  if (tile[t] == 0)
    goto store;
  tile[t] += 1;
store:  //~ implementation-defined //~ rejoins: 13
  copied = async_work_group_copy(out, tile, n, 0);  //~ warning[implementation-defined-convergence]@12: async_work_group_copy
  wait_group_events(1, &copied);  //~ warning[implementation-defined-convergence]@3: wait_group_events
}
