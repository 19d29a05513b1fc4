// The copies by a whole work-group "must be encountered by all work-items", and so must the wait for them. A prefetch is a hint
// of one work-item.
kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  event_t e = async_work_group_copy(x, out, 64, 0);  //~ defined
  wait_group_events(1, &e);  //~ defined
  if (t & 1)
    goto on;
  x[t] = 1;
on:
  prefetch(out, 64);  //~ implementation-defined
  e = async_work_group_copy(out, x, 64, 0);  //~ warning[implementation-defined-convergence]: async_work_group_copy
  e = async_work_group_strided_copy(out, x, 64, 2, e);  //~ warning[implementation-defined-convergence]: async_work_group_strided_copy
  wait_group_events(1, &e);  //~ warning[implementation-defined-convergence]: wait_group_events
}
