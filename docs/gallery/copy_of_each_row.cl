// Copy the rest of a row to local memory: the author thinks that each work-item copies its own part.
kernel void copy(global const float *row, global float *out, local float *cache, int n) {
  int lid = get_local_id(0);
  int rest = n - lid;

  event_t done = async_work_group_copy(cache, row, rest, 0);
  wait_group_events(1, &done);
  out[get_global_id(0)] = cache[lid];
}
