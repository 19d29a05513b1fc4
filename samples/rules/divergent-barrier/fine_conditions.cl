// Every work-item of the work-group reaches every barrier, though it may not look so.

// The branch ends before the barrier.
kernel void behind_if(local int *x) {
  if (get_local_id(0) < 16)
    x[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
}

// A condition on a parameter of the kernel: one launch, one value.
kernel void parameter(local int *x, int wanted) {
  if (wanted)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The whole work-group returns, or none of it does.
kernel void group_returns(local int *x, int groups) {
  if (get_group_id(0) >= groups)
    return;
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The tree: the trip count is that of all, the branch is inside.
kernel void tree(local int *x) {
  int t = get_local_id(0);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (t < s)
      x[t] += x[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// A loop with a trip count of one's own, without a barrier; it comes behind.
kernel void loop_of_ones_own(local int *x, int n) {
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    x[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The grid-stride loop with the same trip count for all: the check is inside.
kernel void padded_stride(global int *p, local int *x, int n) {
  for (int base = get_group_id(0) * get_local_size(0); base < n; base += get_global_size(0)) {
    int i = base + get_local_id(0);
    x[get_local_id(0)] = i < n ? p[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
      p[i] = x[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// `continue` and `break` of all, or of none.
kernel void all_continue(global int *p, local int *x, int n, int skip, int last) {
  for (int i = 0; i < n; i++) {
    if (i == skip)
      continue;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == last)
      break;
  }
}

// `continue` of some, but the barrier is before it.
kernel void continue_behind(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[get_global_id(0) + i] == 0)
      continue;
    p[get_global_id(0) + i]--;
  }
}

// A loop inside is left by some; the barrier is in the loop around it.
kernel void inner_break(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      if (p[get_global_id(0) + j] == i)
        break;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Some return, behind the last barrier.
kernel void return_behind(global int *p, local int *x, int n) {
  int i = get_global_id(0);
  x[get_local_id(0)] = i < n ? p[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= n)
    return;
  p[i] = x[0];
}

// A vote of the whole work-group decides for all.
kernel void voted(global int *p) {
  while (work_group_any(p[get_global_id(0)] > 0)) {
    p[get_global_id(0)]--;
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// The left operand is the same for all.
kernel void operands(global int *p, int wanted, int limit) {
  int own = p[get_global_id(0)];
  p[get_global_id(0)] = wanted && work_group_any(own);
  if (limit < 0 || work_group_all(own < limit))
    p[get_global_id(0)] = wanted ? work_group_reduce_add(own) : own;
}

// The operand of one's own comes last.
kernel void operand_behind(global int *p) {
  int own = p[get_global_id(0)];
  p[get_global_id(0)] = work_group_any(own) && own > 3;
}

// A `switch` on a parameter of the kernel.
kernel void switch_of_all(local int *x, int mode) {
  switch (mode) {
  case 0:
    barrier(CLK_LOCAL_MEM_FENCE);
    break;
  case 1:
    x[get_local_id(0)] = 0;
    break;
  }
}

// A `switch` of one's own in which nothing waits.
kernel void switch_without(global int *p) {
  switch (p[get_local_id(0)]) {
  case 0:
    p[0] = 1;
    break;
  case 1:
    p[0] = 2;
    break;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}

// No thread ever comes here.
kernel void never(local int *x) {
  if (0 && get_local_id(0))
    barrier(CLK_LOCAL_MEM_FENCE);
}

// A fence is no barrier: each work-item orders its own memory.
kernel void fence(local int *x) {
  if (get_local_id(0) < 16)
    mem_fence(CLK_LOCAL_MEM_FENCE);
}

// The sizes are the same for all.
kernel void sizes(local int *x) {
  if (get_local_size(0) > 32 && get_num_groups(0) > 1 && get_work_dim() == 1 && get_global_offset(0) == 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}
