// A loop in which the work-group waits is left by a flag in shared memory, and the flag is written again before all have read it, or read
// before all have written it. A fast work-item changes what a slow one has yet to read: some leave, and the others wait for ever.

// The classic: the condition reads, and the next turn clears, with nothing between.
kernel void cleared_at_once(global int *p, local int *changed) {
  do {
    if (get_local_id(0) == 0)
      *changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[get_global_id(0)]-- > 0)
      *changed = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (*changed);  //~ warning[unprotected-exit-flag]: changed`
}

// The same with a variable of the kernel's own.
kernel void own_variable(global int *p) {
  local int changed;
  do {
    changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[get_global_id(0)]-- > 0)
      changed = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (changed);  //~ warning[unprotected-exit-flag]: changed`
}

// The barrier is before the write, and the next turn reads at once.
kernel void read_at_once(global int *p) {
  local int done;
  done = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  while (!done) {  //~ warning[unprotected-exit-flag]: done`
    p[get_global_id(0)]--;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[get_global_id(0)] == 0)
      done = 1;
  }
}

// Left by `break`.
kernel void by_break(global int *p, local int *stop) {
  for (;;) {
    if (get_local_id(0) == 0)
      *stop = p[0] == 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*stop)  //~ warning[unprotected-exit-flag]: stop`
      break;
    p[get_global_id(0)]--;
  }
}

// Left by `return`.
kernel void by_return(global int *p, local int *stop) {
  for (;;) {
    if (get_local_id(0) == 0)
      *stop = p[0] == 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*stop)  //~ warning[unprotected-exit-flag]
      return;
  }
}

// A count instead of a flag.
kernel void count(global int *p) {
  local int left;
  if (get_local_id(0) == 0)
    left = 10;
  barrier(CLK_LOCAL_MEM_FENCE);
  while (left > 0) {  //~ warning[unprotected-exit-flag]: left`
    p[get_global_id(0)]--;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
      left--;
  }
}

// The flag is one element of an array.
kernel void element(global int *p, local int *state) {
  do {
    if (get_local_id(0) == 0)
      state[2] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[get_global_id(0)]-- > 0)
      state[2] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (state[2]);  //~ warning[unprotected-exit-flag]
}

// The condition asks for more than the flag.
kernel void condition_of_two(global int *p, local int *changed, int n) {
  int k = 0;
  do {
    *changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[get_global_id(0)]-- > 0)
      *changed = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (k++ < n && *changed);  //~ warning[unprotected-exit-flag]
}

// In memory of the whole grid, read and written by one work-group.
kernel void in_global(global int *p, global int *changed) {
  do {
    if (get_local_id(0) == 0)
      changed[0] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (p[get_global_id(0)]-- > 0)
      changed[0] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
  } while (changed[0]);  //~ warning[unprotected-exit-flag]
}
