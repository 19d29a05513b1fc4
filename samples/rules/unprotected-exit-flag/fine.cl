// A barrier stands between each read of the flag and each write, or there is nothing to wait for.

// The classic, repaired: all have read before it is cleared.
kernel void read_then_wait(global int *p, local int *changed) {
  int again;
  do {
    if (get_local_id(0) == 0)
      *changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[get_global_id(0)]-- > 0)
      *changed = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    again = *changed;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (again);
}

// The barrier at the head of the loop.
kernel void wait_first(global int *p, local int *changed) {
  do {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
      *changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[get_global_id(0)]-- > 0)
      *changed = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (*changed);
}

// Written between two barriers.
kernel void between(global int *p) {
  local int done;
  done = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  while (!done) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[get_global_id(0)]-- == 0)
      done = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Nobody writes the flag in the loop.
kernel void written_before(global int *p, local int *count) {
  if (get_local_id(0) == 0)
    *count = p[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < *count; i++) {
    p[get_global_id(0)]--;
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// Nobody waits in the loop: who is done is done.
kernel void nobody_waits(global int *p, local int *found) {
  for (int i = 0; i < 100 && !*found; i++)
    if (p[get_global_id(0) + i] == 0)
      *found = 1;
}

// The vote needs no memory.
kernel void voted(global int *p) {
  while (work_group_any(p[get_global_id(0)] > 0)) {
    p[get_global_id(0)]--;
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// The flag is private.
kernel void private_flag(global int *p, int n) {
  int done = 0;
  while (!done) {
    p[get_global_id(0)]--;
    barrier(CLK_GLOBAL_MEM_FENCE);
    done = n-- == 0;
  }
}

// Another element of the array is written.
kernel void other_element(global int *p, local int *state) {
  if (get_local_id(0) == 0)
    state[0] = 8;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < state[0]; i++) {
    state[1] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The flag is read, but decides nothing about the loop.
kernel void decides_nothing(global int *p, local int *flag, int n) {
  for (int i = 0; i < n; i++) {
    if (*flag)
      p[get_global_id(0)] = 1;
    *flag = i;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Two flags in turn: while one is read, the other is cleared.
kernel void in_turn(global int *p, local int *changed) {
  int turn = 0;
  changed[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (;;) {
    changed[turn ^ 1] = 0;
    if (p[get_global_id(0)]-- > 0)
      changed[turn] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!changed[turn])
      break;
    barrier(CLK_LOCAL_MEM_FENCE);
    turn ^= 1;
  }
}
