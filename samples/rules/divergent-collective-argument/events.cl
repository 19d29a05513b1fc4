// Events are judged where they are passed, not by what becomes of their variables later.

kernel void forgotten_afterwards(local int *a, global int *b, int n) {
  event_t e = async_work_group_copy(a, b, (size_t)n, 0);
  wait_group_events(1, &e);
  if (get_local_id(0) == 0)
    e = (event_t)0;
  b[get_local_id(0)] = a[0];
}

kernel void given_on(local int *a, global int *b, int n) {
  event_t e = 0;
  for (int i = 0; i < n; i++)
    e = async_work_group_copy(a + i, b + i, 1, i ? e : (event_t)0);
  wait_group_events(1, &e);
}

kernel void new_in_each_iteration(local int *a, global int *b, int n) {
  event_t e = 0;
  for (int i = 0; i < n; i++) {
    e = async_work_group_copy(a, b, (size_t)n, 0);
    wait_group_events(1, &e);
    if (get_local_id(0) == i)
      e = (event_t)0;
  }
}

kernel void kept_from_iteration_to_iteration(local int *a, global int *b, int n) {
  event_t e = 0;
  for (int i = 0; i < n; i++) {
    e = async_work_group_copy(a, b, (size_t)n, e);  //~ error[divergent-collective-argument]: `e`
    if (get_local_id(0) == i)
      e = (event_t)0;
  }
  wait_group_events(1, &e);
}

kernel void two_in_turn(local int *a, global int *b, int n) {
  event_t e[2];
  e[0] = async_work_group_copy(a, b, (size_t)n, 0);
  for (int i = 1; i < n; i++) {
    e[i & 1] = async_work_group_strided_copy(a + (i & 1) * n, b + i * n, (size_t)n, 2, 0);
    wait_group_events(1, &e[(i - 1) & 1]);
    b[get_local_id(0)] += a[((i - 1) & 1) * n];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  wait_group_events(1, &e[(n - 1) & 1]);
}

kernel void of_some(local int *a, global int *b, int n) {
  event_t e = async_work_group_copy(a, b, (size_t)n, 0);
  event_t f = 0;
  if (get_local_id(0) == 0)
    f = e;
  f = async_work_group_copy(a, b, (size_t)n, f);  //~ error[divergent-collective-argument]: `f`
  wait_group_events(1, &f);
}

kernel void each_another(local int *a, global int *b, int n) {
  event_t e[2];
  e[0] = async_work_group_copy(a, b, (size_t)n, 0);
  e[1] = async_work_group_copy(a + n, b + n, (size_t)n, 0);
  wait_group_events(1, &e[get_local_id(0) & 1]);  //~ error[divergent-collective-argument]: `get_local_id(0)`
}

static event_t fetch(local int *to, global const int *from, int n, event_t e) {
  return async_work_group_copy(to, from, (size_t)n, e);
}

static void await(event_t *e) {
  wait_group_events(1, e);
}

kernel void in_helpers(local int *a, global int *b, int n) {
  event_t e = fetch(a, b, n, 0);
  e = fetch(a + n, b + n, n, e);
  await(&e);
}

kernel void in_a_block(global int *b, int n) {
  int row = b[get_global_id(0)];
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^(local void *memory) {
    local int *tile = memory;
    event_t e = async_work_group_copy(tile, b + row, (size_t)n, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(tile, b + get_local_id(0), (size_t)n, 0);  //~ error[divergent-collective-argument]: `get_local_id(0)`
    wait_group_events(1, &e);
  }, 256u);
}
