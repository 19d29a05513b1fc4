// Kernels that enqueue kernels, as they are written for device queues: in each block all of a work-group wait together.

// One work-item enqueues; the child grid goes on with what it captures, which is the same for all of it.
kernel void reduce_further(global float *data, int count) {
  int next = count / 2;
  int mine = get_global_id(0);
  if (mine < next)
    data[mine] += data[mine + next];
  if (mine == 0 && next > 1) {
    void (^again)(local void *) = ^(local void *memory) {
      local float *tile = (local float *)memory;
      int i = get_local_id(0);
      tile[i] = data[i];
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int step = next / 2; step > 0; step >>= 1) {
        if (i < step)
          tile[i] += tile[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (i == 0)
        data[0] = tile[0];
    };
    uint most = get_kernel_work_group_size(again);
    uint size = min((uint)next, most);
    ndrange_t range = ndrange_1D(next, size);
    clk_event_t done;
    uint bytes = size * sizeof(float);
    int status = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, range, 0, 0, &done, again, bytes);
    if (status == CLK_SUCCESS)
      release_event(done);
  }
}

// A variable that differs between those who enqueue is one value in each child.
kernel void for_each_row(global const int *restrict starts, global float *values) {
  int row = get_global_id(0);
  int begin = starts[row], end = starts[row + 1];
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(end - begin), ^{
    if (end - begin < 2)
      return;
    values[begin + get_global_id(0)] *= 2;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int i = begin; i < end; i += 64) {
      work_group_barrier(CLK_GLOBAL_MEM_FENCE);
      values[i + get_local_id(0)] += values[begin];
    }
    switch (row) {
    case 0:
      values[begin] = 0;
      break;
    default:
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
  });
}

// A helper that is called.
kernel void shared_step(global int *data, local int *tile, int rounds) {
  int i = get_local_id(0);
  int (^const exchange)(int) = ^(int by) {
    tile[i] = data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = tile[i ^ by];
    barrier(CLK_LOCAL_MEM_FENCE);
    return other;
  };
  for (int round = 0; round < rounds; round++)
    data[i] = exchange(1 << round);
}

// A chain: each child enqueues the next.
kernel void levels(global int *count, int level) {
  if (get_global_id(0) != 0)
    return;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64, 64), ^{
    int sum = work_group_reduce_add(count[get_global_id(0)]);
    if (level > 0) {
      barrier(CLK_GLOBAL_MEM_FENCE);
      if (get_local_id(0) == 0) {
        int rest = level - sum;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64, 64), ^{
          if (rest > 0)
            work_group_barrier(CLK_GLOBAL_MEM_FENCE);
          count[get_global_id(0)] += rest;
        });
      }
    }
  });
}
