// A barrier or work-group collective that part of the work-group may not reach, since control flow in one function depends on
// something that differs between its work-items.

// The plain case: half of the work-items wait, the others do not come.
kernel void under_if(local int *x) {
  if (get_local_id(0) < 16)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: not all work-items reach this `barrier`
}

// The bounds check that returns: the last work-group has work-items on both sides of `n`.
kernel void return_before(global int *p, local int *x, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  x[get_local_id(0)] = p[i];
  barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i`
  p[i] = x[0];
}

// The bounds check around all.
kernel void bounds_around(global int *p, local int *x, int n) {
  int i = get_global_id(0);
  if (i < n) {
    x[get_local_id(0)] = p[i];
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
    p[i] = x[0];
  }
}

// Work-items go round for different numbers of times.
kernel void trip_count(local int *x) {
  for (int i = 0; i < get_local_id(0); i++)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// The grid-stride loop: `n` need not be a multiple of the global size.
kernel void grid_stride(global int *p, int n) {
  int sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += work_group_reduce_add(p[i]);  //~ error[divergent-barrier]: work_group_reduce_add
  p[get_global_id(0)] = sum;
}

// `do` goes round at least once; not all come for the second time.
kernel void do_while(global int *p) {
  int left = p[get_global_id(0)];
  do {
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
  } while (left-- > 0);
}

// `continue` goes round the barrier.
kernel void continue_before(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    if (p[get_global_id(0) + i] == 0)
      continue;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

// Who has left by `break` does not come again.
kernel void break_before(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    if (p[get_global_id(0) + i] == 0)
      break;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

// The same with the `break` behind the barrier: the first time all are there, and then not any more.
kernel void break_behind(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
    if (p[get_global_id(0) + i] == 0)
      break;
  }
}

// `goto` over the barrier.
kernel void goto_over(global int *p) {
  if (p[get_global_id(0)])
    goto out;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
  p[0] = 1;
out:
  p[get_global_id(0)] = 2;
}

// The right operand of `&&` is evaluated by those for which the left one holds.
kernel void and_operand(global int *p) {
  int i = get_local_id(0);
  p[i] = i < 8 && work_group_any(p[i]);  //~ error[divergent-barrier]: work_group_any
}

// The same of `||`.
kernel void or_operand(global int *p) {
  int i = get_local_id(0);
  if (i < 8 || work_group_all(p[i]))  //~ error[divergent-barrier]: work_group_all
    p[i] = 0;
}

// The same of `?:`.
kernel void conditional_operand(global int *p) {
  int i = get_local_id(0);
  p[i] = p[i] > 0 ? work_group_broadcast(p[i], 0) : 0;  //~ error[divergent-barrier]: work_group_broadcast
}

// One arm of a `switch`.
kernel void switch_arm(global int *p) {
  switch (p[get_local_id(0)]) {
  case 0:
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
    break;
  case 1:
    p[0] = 1;
    break;
  }
}

// A condition around the loop, not in it.
kernel void loop_inside_branch(local int *x) {
  int t = get_local_id(0);
  if (t & 1) {
    for (int s = 1; s < 8; s <<= 1) {
      x[t] += x[t ^ s];
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
    }
  }
}

// Copies and waits are for the whole work-group, too.
kernel void copy_in_branch(global const int *p, local int *x, int n) {
  if (get_local_id(0) == 0) {
    event_t e = async_work_group_copy(x, p, n, 0);  //~ error[divergent-barrier]: async_work_group_copy
    wait_group_events(1, &e);                       //~ error[divergent-barrier]: wait_group_events
  }
}

// Which sub-group it is, is the same for all in a sub-group, and differs in the work-group.
kernel void by_sub_group(local int *x) {
  if (get_sub_group_id() == 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: get_sub_group_id
}

// Only the one that the atomic gave 0 comes.
kernel void by_atomic(volatile global int *count) {
  if (atomic_inc(count) == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]: atomic_inc
}

// A barrier written by a macro stands where the macro is used.
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
kernel void by_macro(local int *x) {
  if (get_local_id(0) < 16)
    SYNC();  //~ error[divergent-barrier]
}
