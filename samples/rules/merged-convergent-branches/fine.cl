// The two calls are not on two sides of a branch that parts threads, or are not the same.

// All take the same side.
kernel void branch_of_all(global int *p, int mode) {
  int i = get_global_id(0);
  if (mode)
    p[i] = sub_group_reduce_add(p[i]);
  else
    p[i] = sub_group_reduce_add(-p[i]);
}

// A vote decides for the sub-group.
kernel void voted(global int *p) {
  int i = get_global_id(0);
  if (sub_group_any(p[i] > 0))
    p[i] = sub_group_reduce_add(p[i]);
  else
    p[i] = sub_group_reduce_add(-p[i]);
}

// Different operations.
kernel void different(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0)
    p[i] = sub_group_non_uniform_reduce_add(p[i]);
  else
    p[i] = sub_group_non_uniform_reduce_max(p[i]);
}

// One call behind the branch.
kernel void behind(global int *p) {
  int i = get_global_id(0), own;
  if (p[i] > 0)
    own = p[i];
  else
    own = -p[i];
  p[i] = sub_group_reduce_add(own);
}

// On one side twice.
kernel void one_side(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0) {
    p[i] = sub_group_non_uniform_reduce_add(p[i]);
    p[i] = sub_group_non_uniform_reduce_add(p[i]);
  }
}

// Two branches, one behind the other.
kernel void one_behind_the_other(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0)
    p[i] = sub_group_non_uniform_reduce_add(p[i]);
  if (p[i] <= 0)
    p[i] = sub_group_non_uniform_reduce_add(-p[i]);
}

// The same call, but not convergent.
kernel void not_convergent(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0)
    p[i] = max(p[i], 3);
  else
    p[i] = max(-p[i], 3);
}

// Inside the branch, and behind it.
kernel void inside_and_behind(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0)
    p[i] = sub_group_non_uniform_reduce_add(p[i]);
  p[i] = sub_group_non_uniform_reduce_add(p[i]);
}

// Sub-groups take different sides, each as a whole.
kernel void by_sub_group(global int *p) {
  int i = get_global_id(0);
  if (get_sub_group_id() & 1)
    p[i] = sub_group_reduce_add(p[i]);
  else
    p[i] = sub_group_reduce_add(-p[i]);
}

// Atomics on both sides: each work-item's own.
kernel void atomics(global int *p, volatile global int *count) {
  if (p[get_global_id(0)] > 0)
    atomic_inc(count);
  else
    atomic_inc(count);
}
