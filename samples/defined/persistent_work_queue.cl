// Persistent groups take work from a queue: one thread takes, everybody waits, and a `break` leaves the endless loop.
kernel void consume(volatile global int *head, int count, global const int *jobs, global int *results) {
  local int job;
  for (;;) {  //~ tangles: function-body
    if (get_local_id(0) == 0)
      job = atomic_inc(head);
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    int mine = job;
    if (mine >= count)
      break;
    switch (jobs[mine] & 3) {  //~ tangles: sequence
    case 0:
      results[mine] = sub_group_reduce_add(get_local_id(0));  //~ defined
      break;
    case 1:
      results[mine] = sub_group_reduce_max(jobs[mine]);  //~ defined
      break;
    default:
      results[mine] = -1;
      break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  }
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: function-body //~ defined
}
