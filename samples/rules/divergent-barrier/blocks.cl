// Block literals: one that is enqueued is a kernel of its own, with ids of its own; any other is a function that somebody calls.

kernel void enqueued_as_it_is_written(global int *p) {  // No execution shows it: enqueued blocks are not executed
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^{
    int i = get_local_id(0);  //~ origin: get_local_id(0)
    if (i == 0)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i` (from `get_local_id(0)`)
  });
}

kernel void enqueued_by_its_name(global const int *p) {  // No execution shows it: enqueued blocks are not executed
  void (^step)(void) = ^{
    if (p[get_local_id(0)])
      return;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
  };
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), step);
}

// Local memory that it is given is written, and read with no barrier between.
kernel void with_local_memory(global const int *p) {  // No execution shows it: enqueued blocks are not executed
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^(local void *memory) {
    local int *flags = memory;
    flags[get_local_id(0)] = p[get_local_id(0)];
    if (flags[0])
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `flags[0]`
  }, 256u);
}

// What the block captures is the same for all of its work-items. What it computes from that and its ids is not.
kernel void captured_and_own(global int *p, int n) {  // No execution shows it: enqueued blocks are not executed
  int mine = p[get_global_id(0)];
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^{
    if (mine > n)
      barrier(CLK_LOCAL_MEM_FENCE);
    if (mine > (int)get_local_id(0))
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
  });
}

static void wait_for(int n) {
  if (n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `n` (from `get_local_id(0)`)
}

kernel void calls_a_function(void) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^{
    wait_for(get_local_id(0));  //~ origin: get_local_id(0)
  });
}

static void all_wait(void) {
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void calls_one_that_waits(void) {  // No execution shows it: enqueued blocks are not executed
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^{
    for (uint i = 0; i < get_local_id(0); i++)
      all_wait();  //~ error[divergent-barrier]: `all_wait`
  });
}

// One that is called: its ids differ as those of the caller do.
kernel void called(global int *p) {  // No execution shows it: enqueued blocks are not executed
  int (^const sum)(int) = ^(int from) {
    if (get_local_id(0) > 7)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
    return from + 1;
  };
  p[0] = sum(3);
}

// What one that is called is given, and what it captures, is up to those who call it.
kernel void shared_step(global int *data, local int *tile, int rounds) {
  int i = get_local_id(0);
  int (^const exchange)(int) = ^(int by) {
    if (rounds > 3)
      barrier(CLK_LOCAL_MEM_FENCE);
    tile[i] = data[i];
    if (by)
      barrier(CLK_LOCAL_MEM_FENCE);
    return tile[i ^ by];
  };
  for (int round = 0; round < rounds; round++)
    data[i] = exchange(1 << round);
}

// A block inside of a block that enqueues it.
kernel void nested(global int *p, int n) {  // No execution shows it: enqueued blocks are not executed
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^{
    int mine = get_local_id(0);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^{
      if (mine + n)
        barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) < 3)
        barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
    });
    if (mine)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `mine`
  });
}

// The function around it waits for nobody by making a block, or by enqueuing it.
static void spawn(void) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^{ barrier(CLK_LOCAL_MEM_FENCE); });
}

kernel void one_spawns(void) {
  if (get_global_id(0) == 0)
    spawn();
}
