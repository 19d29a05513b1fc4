// A flag that nothing protects is one mistake, a barrier that part of the work-group does not reach another one, which has a cause of its own: both are told.
// What follows from the flag alone is told once.

// The barrier that should stand between is in a branch on ids.
kernel void in_branch(volatile global int *head, int count, global int *results) {
  local int job;
  for (;;) {
    if (get_local_id(0) == 0)
      job = atomic_inc(head);
    if (get_local_id(0) & 1)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: depends on `get_local_id(0)`
    int mine = job;  //~ warning[unprotected-exit-flag]: job`
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine >= count)
      break;
    results[mine] = mine;
  }
}

// Part of the work-group begins the next turn without the second barrier; at the first all are together again.
kernel void behind_continue(global const int *data, volatile global int *head, int count) {
  local int job;
  for (int turn = 0; turn < 100; ++turn) {
    if (get_local_id(0) == 0)
      job = atomic_inc(head);
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = job;  //~ warning[unprotected-exit-flag]: job`
    if (mine >= count)
      break;
    if (data[get_local_id(0)] > mine)
      continue;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: get_local_id(0)
  }
}

// Behind the loop who left it by the flag meets who left it by ids.
kernel void left_by_ids(global int *data, local int *stop) {
  for (;;) {
    if (get_local_id(0) == 0)
      *stop = data[0] == 0;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: get_local_id(0)
    if (*stop)  //~ warning[unprotected-exit-flag]: stop`
      break;
    if (data[0] < get_local_id(0))
      break;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// All that is wrong follows from the flag: the barriers behind it are not told of.
kernel void by_flag_alone(global int *data, local int *stop) {
  for (;;) {
    if (get_local_id(0) == 0)
      *stop = data[0] == 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*stop)  //~ warning[unprotected-exit-flag]: stop`
      break;
    if (get_group_id(0) & 1)
      barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)]--;
  }
}
