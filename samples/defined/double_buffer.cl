// Asynchronous copies into two buffers in turn.
kernel void stream(global const float *in, global float *out, local float *buffers, int chunks) {
  int t = get_local_id(0), size = get_local_size(0);
  event_t ready[2];
  ready[0] = async_work_group_copy(buffers, in, (size_t)size, 0);  //~ defined
  for (int c = 0; c < chunks; c++) {
    int current = c & 1;
    if (c + 1 < chunks)
      ready[!current] = async_work_group_copy(buffers + !current * size, in + (c + 1) * size, (size_t)size, 0);  //~ tangles: if-branch //~ defined
    wait_group_events(1, &ready[current]);  //~ tangles: loop-body //~ defined
    out[c * size + t] = buffers[current * size + t] * 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
  }
}
