// Barriers on two sides of a branch which all work-items take together, or which do not mismatch: one side alone is another rule's matter.

// The branch is that of all.
kernel void branch_of_all(local int *x, int mode) {
  if (mode)
    barrier(CLK_LOCAL_MEM_FENCE);
  else
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}

// A `switch` of all.
kernel void switch_of_all(local int *x, int mode) {
  switch (mode) {
  case 0:
    barrier(CLK_LOCAL_MEM_FENCE);
    break;
  case 1:
    x[0] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    break;
  default:
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The work-group returns as a whole.
kernel void group_returns(local int *x) {
  if (get_group_id(0) == 0) {
    barrier(CLK_LOCAL_MEM_FENCE);
    return;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// One barrier behind both sides.
kernel void behind_both(local int *x) {
  int t = get_local_id(0);
  if (t < 16)
    x[t] = 0;
  else
    x[t] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Two branches, one behind the other, and a barrier between.
kernel void between(local int *x) {
  int t = get_local_id(0);
  if (t < 16)
    x[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t >= 16)
    x[t] = x[t - 16];
  barrier(CLK_LOCAL_MEM_FENCE);
}

// One side only.
kernel void one_side(local int *x) {
  if (get_local_id(0) < 16)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
  else
    x[0] = 1;
}

// One side of one's own in a branch of all.
kernel void nested(local int *x, int mode) {
  if (mode) {
    x[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
  } else {
    if (get_local_id(0) < 16)
      x[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Fences on both sides are no barriers.
kernel void fences(local int *x) {
  if (get_local_id(0) < 16)
    mem_fence(CLK_LOCAL_MEM_FENCE);
  else
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

// Barriers of sub-groups on two sides of a branch between sub-groups.
kernel void sub_groups(local int *x) {
  if (get_sub_group_id() == 0)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  else
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}

// The vote decides for all.
kernel void voted(global int *p) {
  if (work_group_any(p[get_global_id(0)]))
    p[get_global_id(0)] = work_group_reduce_add(1);
  else
    barrier(CLK_GLOBAL_MEM_FENCE);
}
