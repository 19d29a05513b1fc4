// An operation of the sub-group that part of the sub-group may not reach. Those of `cl_khr_subgroups` must be reached by all: an error.
// Shuffles may be reached by some, but what they read from the others is undefined: a note.

// The plain case.
kernel void under_if(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0)
    p[i] = sub_group_reduce_add(p[i]);  //~ error[divergent-subgroup-operation]: not all work-items reach this `sub_group_reduce_add`
}

// Behind an early return.
kernel void return_before(global int *p, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  p[i] = sub_group_scan_inclusive_add(p[i]);  //~ error[divergent-subgroup-operation]: `get_global_id(0)`
}

// In a loop of one's own.
kernel void trip_count(global int *p, int n) {
  int sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += sub_group_reduce_add(p[i]);  //~ error[divergent-subgroup-operation]
  p[get_global_id(0)] = sum;
}

// In an operand.
kernel void operand(global int *p) {
  int i = get_global_id(0);
  p[i] = p[i] > 0 && sub_group_any(p[i] > 3);  //~ error[divergent-subgroup-operation]: sub_group_any
}

// The barrier of the sub-group.
kernel void barrier_of_some(local int *x) {
  if (get_sub_group_local_id() < 4)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-subgroup-operation]: get_sub_group_local_id
}

// A broadcast in one arm of a `switch`.
kernel void arm(global int *p) {
  int i = get_global_id(0);
  switch (p[i]) {
  case 0:
    p[i] = sub_group_broadcast(p[i], 0);  //~ error[divergent-subgroup-operation]
    break;
  default:
    p[i] = 0;
  }
}

// In a helper that is called under a condition.
int sum_of(int x) { return sub_group_reduce_add(x); }
kernel void helper(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0)
    p[i] = sum_of(p[i]);  //~ error[divergent-subgroup-operation]: `sum_of`
}

// A shuffle: the partner may not be there.
kernel void partner(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0)
    p[i] += sub_group_shuffle_xor(p[i], 1);  //~ note[divergent-subgroup-operation]: sub_group_shuffle_xor
}

// A tree of shuffles in a loop that some have left.
kernel void tree(global int *p, int n) {
  int i = get_global_id(0), sum = p[i];
  while (p[i] < n) {
    sum += sub_group_shuffle_down(sum, 1);  //~ note[divergent-subgroup-operation]
    p[i] = sum;
  }
}

// The last work-items of the grid have left before the shuffle.
kernel void tail(global int *p, int n) {
  int i = get_global_id(0);
  if (i < n) {
    int sum = p[i];
    for (int s = get_max_sub_group_size() / 2; s > 0; s /= 2)
      sum += sub_group_shuffle_down(sum, s);  //~ note[divergent-subgroup-operation]: `get_global_id(0)`
    p[i] = sum;
  }
}
