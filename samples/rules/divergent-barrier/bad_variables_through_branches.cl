// Branches, cases and operands on what differs, and variables that differ on one way to a barrier.

static int waits_here(void) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  return 1;
}

kernel void in_then(global int *p, int n) {
  if (p[get_global_id(0)] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  p[get_global_id(0)] = 1;
}

kernel void in_else(global int *p, int n) {
  if (p[get_global_id(0)] == n)
    p[get_global_id(0)] = 1;
  else
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void in_else_if(global int *p, int n, int c) {
  if (p[get_global_id(0)] == n)
    p[get_global_id(0)] = 1;
  else if (c)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void spoiled_before_the_condition(int n) {
  int v = 0;
  v = get_local_id(0);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void spoiled_on_one_way(int n, int c, int d) {
  int v = 0;
  if (c) {
    if (d)
      v = get_local_id(0);
    else
      v = 5;
  }
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void mended_in_then(int n, int c) {
  int v = get_local_id(0);
  if (c)
    v = 5;
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void mended_in_else(global int *p, int n, int c) {
  int v = get_local_id(0);
  if (c)
    p[get_global_id(0)] = v;
  else
    v = 5;
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void in_a_case(global int *p, int n) {
  switch (p[get_global_id(0)] & 1) {
  case 1:
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
    break;
  default:
    p[get_global_id(0)] = n;
  }
}

kernel void in_the_default(global int *p, int n) {
  switch (p[get_global_id(0)] & 1) {
  case 1:
    p[get_global_id(0)] = n;
    break;
  default:
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

kernel void case_that_some_leave(int n, int c) {
  switch (c & 1) {
  case 1:
    if (get_local_id(0) == n)
      break;
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

kernel void mended_in_another_case(int n, int c) {
  int x = get_local_id(0);
  switch (c & 1) {
  case 0:
    x = 5;
    break;
  case 1:
    if (x == n)
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

kernel void spoiled_in_one_case(int n, int c) {
  int x = 0;
  switch (c & 3) {
  case 0:
    x = get_local_id(0);
    break;
  case 1:
    x = 5;
    break;
  default:
    x = 6;
  }
  if (x == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void mended_in_two_of_three_cases(int n, int c) {
  int x = get_local_id(0);
  switch (c & 3) {
  case 0:
    x = 4;
    break;
  case 1:
    break;
  default:
    x = 6;
  }
  if (x == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void mended_behind_a_break(int n, int c, int d) {
  int x = get_local_id(0);
  switch (c & 1) {
  case 0:
    x = 4;
    break;
  default:
    if (d)
      break;
    x = 6;
  }
  if (x == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void switch_in_a_loop(int n, int c) {
  int x = 7;
  for (int i = 0; i < 4; i++) {
    if (x == n) {
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
      break;
    }
    switch (c & 1) {
    case 0:
      x = get_local_id(0);
      break;
    default:
      x = 6;
    }
  }
}

kernel void second_operand(int n) {
  int b = get_local_id(0) == n && waits_here();  //~ error[divergent-barrier]
}
