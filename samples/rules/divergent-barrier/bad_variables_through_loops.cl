// Loops that threads leave in different iterations, and variables that differ by the time they come to a barrier.

static int wait_and_add(int i) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  return i + 1;
}

kernel void left_at_the_end(int n) {
  int i = 0;
  do {
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
    i = i + 1;
  } while (i <= get_local_id(0));
}

kernel void waits_in_the_step(int n) {
  for (int i = 0; i < get_local_id(0); i = wait_and_add(i)) {  //~ error[divergent-barrier]
  }
}

kernel void spoiled_for_the_next_iteration(int n) {
  int v = 7;
  for (int i = 0; i < 4; i++) {
    if (v == n) {
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
      break;
    }
    v = get_local_id(0);
  }
}

kernel void spoiled_before_continue(int n) {
  int v = 7;
  for (int i = 0; i < 4; i++) {
    if (v == n) {
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
      break;
    }
    v = get_local_id(0);
    continue;
  }
}

kernel void loop_without_a_condition(int n) {
  int v = 0;
  for (;;) {
    if (v != 0) {
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
      break;
    }
    v = 1 + (get_local_id(0) & 1) - (n & 1);
    n = 0;
    continue;
  }
}

kernel void spoiled_in_the_step(int n) {
  int v = 7;
  for (int i = 0; i < 4; i++, v = get_local_id(0)) {
    if (v > n)
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

kernel void spoiled_in_the_step_behind_continue(int n) {
  int v = 7;
  for (int i = 0; i < 4; i++, v = get_local_id(0)) {
    if (v > n)
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
    continue;
  }
}

kernel void spoiled_before_a_break_of_some_launches(int n, int c, int d) {
  int v = 7;
  for (int i = 0; i < 4; i++) {
    if (c) {
      v = get_local_id(0);
      if (d)
        break;
    }
    if (v == n)
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

kernel void spoiled_where_the_loop_is_left(int n, int c) {
  int v = 7;
  for (int i = 0; i < 10; i++) {
    if (i > c) {
      v = get_local_id(0);
      break;
    }
    v = 5;
  }
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void mended_on_one_way_out(int n, int c, int d) {
  int v = 7;
  for (int i = 0;; i++) {
    if (i > c)
      break;
    v = get_local_id(0);
    if (i > d) {
      v = 6;
      break;
    }
  }
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void mended_on_all_ways_but_one(int n, int c, int d) {
  int v = 7;
  for (int i = 0; i < 8; i++) {
    v = get_local_id(0);
    if (i > c) {
      if (d)
        v = 5;
      else
        break;
      v = 5;
    }
    v = 5;
  }
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void continue_without_mending(int n, int c) {
  int v = 7;
  for (int i = 0; i < 4; i++) {
    if (v == n) {
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
      break;
    }
    v = get_local_id(0);
    if (c)
      continue;
    v = 5;
  }
}

static int waits_in_this_step(int v, int n) {
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 1;
}

kernel void mended_before_some_continue(int n, int c) {
  int v = 7;
  for (int i = 0; i < 4; i += waits_in_this_step(v, n)) {
    v = get_local_id(0);
    if (c) {
      v = 5;
      continue;
    }
  }
}

static int waits_in_that_step(int v, int n) {
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 1;
}

kernel void mended_behind_some_continue(int n, int c) {
  int v = 0;
  for (int i = 0; i < 4; i += waits_in_that_step(v, n)) {
    v = 0;
    if (c) {
      v = get_local_id(0);
      continue;
    }
    v = 0;
  }
}

kernel void spoiled_in_an_inner_loop(int n, int c) {
  int v = 7;
  for (int i = 0; i < 4; i++) {
    if (v == n) {
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
      break;
    }
    for (int j = 0; j < 8; j++) {
      if (j > c) {
        v = get_local_id(0);
        break;
      }
      v = 5;
    }
  }
}

static int waits_in_the_last_step(int v, int n) {
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 1;
}

kernel void brought_to_the_step(int n, int c) {
  int v = 0;
  for (int i = 0; i < 4; i += waits_in_the_last_step(v, n)) {
    v = get_local_id(0);
    if (c)
      continue;
    else
      break;
  }
}

kernel void bound_of_ones_own(int n) {
  for (int i = 0; i < get_local_id(0); i++)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void spoiled_by_the_last_step(int n) {
  int v = 7;
  for (int i = 0; i < 4; i++, v = get_local_id(0))
    v = 5;
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void spoiled_at_the_end_of_the_body(int n, int c, int d) {
  int v = 7;
  for (int i = 0; i < 4; i++) {
    if (i > c) {
      v = 5;
      break;
    }
    v = get_local_id(0);
    if (i > d) {
      v = 6;
      break;
    }
  }
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void counter_spoiled_before_continue(int n, int c) {
  for (int i = 0; i < 6; i++) {
    if (i < 5)
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
    if (c) {
      i = i + 1 + get_local_id(0);
      continue;
    }
  }
}

kernel void some_break_behind_the_barrier(int n) {
  for (int i = 0; i < 8; i++) {
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
    if (get_local_id(0) == i)
      break;
  }
}

kernel void some_return_behind_the_barrier(int n) {
  for (int i = 0; i < 8; i++) {
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
    if (get_local_id(0) == i)
      return;
  }
}

kernel void some_break_before_the_barrier(int n) {
  for (int i = 0; i < 8; i++) {
    if (get_local_id(0) == i)
      break;
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

kernel void some_return_before_the_barrier(int n) {
  for (int i = 0; i < 8; i++) {
    if (get_local_id(0) == i)
      return;
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

kernel void some_continue_before_the_barrier(int n) {
  for (int i = 0; i < 8; i++) {
    if (get_local_id(0) == i)
      continue;
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  }
}

static int step_that_waits(int i) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  return i + 1;
}

kernel void some_break_before_the_step(int n) {
  for (int i = 0; i < 8; i = step_that_waits(i)) {  //~ error[divergent-barrier]
    if (get_local_id(0) == i)
      break;
  }
}

static int another_step_that_waits(int i) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  return i + 1;
}

kernel void some_return_before_the_step(int n) {
  for (int i = 0; i < 8; i = another_step_that_waits(i)) {  //~ error[divergent-barrier]
    if (get_local_id(0) == i)
      return;
  }
}

kernel void some_return_and_the_others_wait_behind(global int *p, int n) {
  for (int i = 0; i < 4; i++) {
    if (get_local_id(0) == i)
      return;
    p[get_global_id(0)] = i;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}
