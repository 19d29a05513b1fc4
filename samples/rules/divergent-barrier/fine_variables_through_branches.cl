// Variables that differ on one way and are the same for all on the way that leads to a barrier.

static int wait_here(void) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  return 1;
}

kernel void in_then(int n) {
  if (n == 42)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void in_else(global int *p, int n) {
  if (n == 42)
    p[get_global_id(0)] = 1;
  else
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void in_else_if(global int *p, int n, int c) {
  if (n == 42)
    p[get_global_id(0)] = 1;
  else if (c)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void spoiled_behind_the_condition(global int *p, int n) {
  int v = n;
  if (v == 0) {
    v = get_local_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  p[get_global_id(0)] = v;
}

kernel void spoiled_on_the_other_way(global int *p, int n, int c) {
  int v = n;
  if (c)
    v = get_local_id(0);
  else if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = v;
}

kernel void spoiled_where_all_return(global int *p, int n, int c) {
  int v = n;
  if (c) {
    v = get_local_id(0);
    p[get_global_id(0)] = v;
    return;
  }
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void assigned_on_both_ways(global int *p, int c) {
  int v = get_local_id(0);
  p[get_global_id(0)] = v;
  if (c)
    v = 5;
  else
    v = 6;
  if (v == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void assigned_or_returned(global int *p, int c) {
  int v = get_local_id(0);
  p[get_global_id(0)] = v;
  if (c)
    v = 5;
  else
    return;
  if (v == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void returned_or_assigned(global int *p, int c) {
  int v = get_local_id(0);
  p[get_global_id(0)] = v;
  if (c)
    return;
  else
    v = 5;
  if (v == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void behind_a_branch(global int *p) {
  if (get_local_id(0) == 4)
    p[get_global_id(0)] = 1;
  else
    p[get_global_id(0)] = 2;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void behind_or(global int *p, int c) {
  if (get_local_id(0) == 4 || c)
    p[get_global_id(0)] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void behind_and(global int *p, int c) {
  if (c && get_local_id(0) == 4)
    p[get_global_id(0)] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void case_that_some_leave(global int *p, int c) {
  switch (c) {
  case 0:
    if (get_local_id(0) == 4)
      break;
    p[get_global_id(0)] = 1;
    break;
  case 42:
    barrier(CLK_GLOBAL_MEM_FENCE);
    break;
  }
}

kernel void spoiled_in_another_case(global int *p, int n, int c) {
  int x = n;
  switch (c) {
  case 0:
    x = get_local_id(0);
    break;
  case 42:
    if (x == 0)
      barrier(CLK_GLOBAL_MEM_FENCE);
    break;
  }
  p[get_global_id(0)] = x;
}

kernel void assigned_in_each_case(global int *p, int c) {
  int x = get_local_id(0);
  p[get_global_id(0)] = x;
  switch (c) {
  case 0:
    x = 4;
    break;
  case 42:
    x = 5;
    break;
  default:
    x = 6;
  }
  if (x == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void assigned_or_returned_in_each_case(global int *p, int c) {
  int x = get_local_id(0);
  p[get_global_id(0)] = x;
  switch (c) {
  case 0:
    x = 4;
    break;
  case 42:
    return;
  default:
    x = 6;
  }
  if (x == 6)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void switch_in_a_loop(global int *p, int n, int c) {
  int x = n;
  for (int i = 0;; i++) {
    if (i == n)
      break;
    switch (c) {
    case 0:
      x = get_local_id(0);
      break;
    default:
      x = 6;
    }
    p[get_global_id(0)] += x;
    x = i;
  }
  if (x == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void behind_a_switch(global int *p) {
  switch (get_local_id(0)) {
  case 1:
    p[get_global_id(0)] = 1;
    break;
  default:
    p[get_global_id(0)] = 2;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void behind_a_switch_that_some_leave(global int *p, int c) {
  switch (c) {
  default:
    if (get_local_id(0) == 0)
      break;
    p[get_global_id(0)] = 1;
    break;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void second_operand(int n) {
  int b = n == 0 && wait_here();
}

kernel void behind_an_operand_that_nobody_needs(global int *p) {
  int b = p[get_global_id(0)] == 0 && false;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void behind_an_operand_that_nobody_asks_for(global int *p) {
  int b = false && p[get_global_id(0)] == 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void behind_two_operands_that_differ(global int *p) {
  int b = p[get_global_id(0)] != 0 && p[get_global_id(0)] != 42;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

// What differs cannot change the outcome.
kernel void and_false(global int *p) {
  if (p[get_global_id(0)] == 42 && false)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void false_and(global int *p) {
  if (false && p[get_global_id(0)] == 42)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void or_true(global int *p) {
  if (p[get_global_id(0)] == 42 || true)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void true_or(global int *p) {
  if (true || p[get_global_id(0)] == 42)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void behind_return(global int *p) {
  p[get_global_id(0)] = 1;
  return;
  if (get_local_id(0) == 4)
    barrier(CLK_GLOBAL_MEM_FENCE);
}
