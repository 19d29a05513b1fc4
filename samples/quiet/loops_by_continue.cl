// Loops that threads continue at different places, and that they all begin anew together: each way back brings the same.

kernel void counted_in_the_condition(global int *p, int n) {
  int i = 0;
  while (n > i++) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 3)
      continue;
    p[get_global_id(0)] += i;
  }
}

kernel void counted_behind_a_pointer(global int *p, int n) {
  int i = 0;
  int *count = &i;
  while (n > (*count)++) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (p[get_global_id(0)] < 0)
      continue;
    p[get_global_id(0)] += *count;
  }
}

kernel void counted_first(global int *p, int n) {
  int i = 0;
  do {
    i += 16;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) > 3)
      continue;
    if (p[get_global_id(0)] == i)
      continue;
    p[get_global_id(0)] = i;
  } while (i < n);
}

// The loop is entered on two ways, which differ between work-groups alone.
kernel void entered_twice(global int *p, int n) {
  int i = 0;
  if (get_group_id(0) > 7)
    i = 64;
  while (n > i++) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) < 5)
      continue;
    p[get_global_id(0)] = i;
  }
}
