// Arguments that must be the same in all work-items that take part, and are not.

// How much is copied.
kernel void count(global const int *p, local int *x) {
  event_t e = async_work_group_copy(x, p, get_local_id(0), 0);  //~ error[divergent-collective-argument]: async_work_group_copy
  wait_group_events(1, &e);
}

// Where from: each work-item names its own row, as if each copied by itself.
kernel void from(global const int *p, local int *x) {
  event_t e = async_work_group_copy(x, p + get_global_id(0), 16, 0);  //~ error[divergent-collective-argument]
  wait_group_events(1, &e);
}

// Where to.
kernel void to(global const int *p, local int *x) {
  int t = get_local_id(0);
  event_t e = async_work_group_copy(&x[t], p, 16, 0);  //~ error[divergent-collective-argument]: `t`
  wait_group_events(1, &e);
}

// The stride.
kernel void stride(global const int *p, local int *x) {
  int step = get_local_id(0) + 1;
  event_t e = async_work_group_strided_copy(x, p, 16, step, 0);  //~ error[divergent-collective-argument]: `get_local_id(0)`
  wait_group_events(1, &e);
}

// How many events are waited for.
kernel void wait(global const int *p, local int *x) {
  event_t e[2];
  e[0] = async_work_group_copy(x, p, 16, 0);
  e[1] = async_work_group_copy(x + 16, p + 16, 16, 0);
  wait_group_events(1 + (get_local_id(0) & 1), e);  //~ error[divergent-collective-argument]: wait_group_events
}

// Whose value is broadcast.
kernel void whose(global int *p) {
  int i = get_global_id(0);
  p[i] = work_group_broadcast(p[i], get_local_id(0) ^ 1);  //~ error[divergent-collective-argument]: work_group_broadcast
}

// Two dimensions, the second is wrong.
kernel void whose_in_two(global int *p) {
  int i = get_global_id(0);
  p[i] = work_group_broadcast(p[i], 0, get_local_id(1));  //~ error[divergent-collective-argument]
}

// The argument is loaded at an address of one's own.
kernel void loaded(global const int *p, global const int *sizes, local int *x) {
  int size = sizes[get_global_id(0)];
  event_t e = async_work_group_copy(x, p, size, 0);  //~ error[divergent-collective-argument]: `get_global_id(0)`
  wait_group_events(1, &e);
}

// The argument differs behind a branch.
kernel void joined(global const int *p, local int *x, int n) {
  int size = n;
  if (get_local_id(0) == 0)
    size = n / 2;
  event_t e = async_work_group_copy(x, p, size, 0);  //~ error[divergent-collective-argument]: `get_local_id(0)`
  wait_group_events(1, &e);
}

// Through a helper's parameter.
void fetch(local int *x, global const int *p, int n) {
  event_t e = async_work_group_copy(x, p, n, 0);  //~ error[divergent-collective-argument]: `n`
  wait_group_events(1, &e);
}
kernel void helper(global const int *p, local int *x) { fetch(x, p, get_local_id(0)); }

// The flags of a barrier, too, are those of all.
kernel void flags(local int *x) {
  barrier(get_local_id(0) & 1 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-collective-argument]
}

// In a sub-group: whose value.
kernel void sub_group_whose(global int *p) {
  int i = get_global_id(0);
  p[i] = sub_group_broadcast(p[i], get_sub_group_local_id() ^ 1);  //~ error[divergent-collective-argument]: sub_group_broadcast
}
