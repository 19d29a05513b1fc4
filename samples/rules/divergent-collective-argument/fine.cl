// Arguments that may differ, or do not.

// Rows of the work-group, the same for all.
kernel void rows(global const int *p, local int *x, int width) {
  event_t e = async_work_group_copy(x, p + get_group_id(0) * width, width, 0);
  wait_group_events(1, &e);
}

// Chunks in a loop of all; the event goes on from copy to copy.
kernel void chunks(global const int *p, local int *x, int n) {
  event_t e = 0;
  for (int i = 0; i < n; i++)
    e = async_work_group_copy(x + i * 64, p + i * 64, 64, e);
  wait_group_events(1, &e);
}

// The value that is reduced, scanned or broadcast is one's own: that is what it is for.
kernel void own_values(global int *p) {
  int i = get_global_id(0);
  int sum = work_group_reduce_add(p[i]);
  int before = work_group_scan_exclusive_add(p[i]);
  p[i] = sum + before + work_group_broadcast(p[i], 0);
}

// The same for all, though it came from memory of one work-item.
kernel void agreed(global const int *p, global const int *sizes, local int *x) {
  int size = work_group_broadcast(sizes[get_global_id(0)], 0);
  event_t e = async_work_group_copy(x, p, size, 0);
  wait_group_events(1, &e);
}

// The last one: the same number in each work-item.
kernel void last(global int *p) {
  int i = get_global_id(0);
  p[i] = work_group_broadcast(p[i], get_local_size(0) - 1);
}

// Two buffers in turn.
kernel void double_buffer(global const int *p, local int *a, local int *b, int n) {
  for (int i = 0; i < n; i++) {
    event_t e = async_work_group_copy(i & 1 ? b : a, p + i * 64, 64, 0);
    wait_group_events(1, &e);
  }
}

// A shuffle's lane may be one's own.
kernel void shuffled(global int *p) {
  int i = get_global_id(0);
  p[i] = sub_group_shuffle(p[i], get_sub_group_local_id() ^ 1);
}

// A prefetch is each work-item's own affair.
kernel void ahead(global const int *p, global int *q) {
  prefetch(p + get_global_id(0) + 64, 1);
  q[get_global_id(0)] = p[get_global_id(0)];
}

// A sub-group's own number is the same in the sub-group.
kernel void sub_group_same(global int *p) {
  int i = get_global_id(0);
  p[i] = sub_group_broadcast(p[i], get_sub_group_id() & 7);
}

// The size differs at the edge of the grid, for whole work-groups.
kernel void edge(global const int *p, local int *x, int n) {
  int begin = get_group_id(0) * 256;
  event_t e = async_work_group_copy(x, p + begin, min(256, n - begin), 0);
  wait_group_events(1, &e);
}
