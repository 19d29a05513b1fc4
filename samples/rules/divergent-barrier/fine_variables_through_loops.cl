// Variables that differ somewhere in a loop, and are the same for all wherever a barrier depends on them.

kernel void left_at_the_end(int n) {
  int i = 0;
  do {
    barrier(CLK_GLOBAL_MEM_FENCE);
    i = i + 1;
  } while (i != n);
}

static int wait_and_add(int i) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  return i + 1;
}

kernel void waits_in_the_step(global int *p, int n) {
  for (int i = 0; i < n; i = wait_and_add(i))
    p[get_global_id(0)] += i;
}

kernel void spoiled_in_the_last_iteration(global int *p, int n) {
  int v = n;
  for (;;) {
    if (v == 0)
      barrier(CLK_GLOBAL_MEM_FENCE);
    v = get_local_id(0);
    break;
  }
  p[get_global_id(0)] = v;
}

kernel void mended_in_the_step(global int *p, int n) {
  int v = n;
  do {
    if (v > 0)
      barrier(CLK_GLOBAL_MEM_FENCE);
    v = get_local_id(0);
    p[get_global_id(0)] += v;
    v = 1;
  } while (--n > 0);
}

kernel void spoiled_where_the_loop_is_left(global int *p, int n, int c) {
  int v = n;
  for (;;) {
    if (c > 3) {
      v = get_local_id(0);
      break;
    }
    if (v == 0)
      barrier(CLK_GLOBAL_MEM_FENCE);
    c++;
  }
  p[get_global_id(0)] = v;
}

kernel void mended_on_each_way_out(global int *p, int n, int c) {
  int v = n;
  for (int i = 0;; i++) {
    if (i > c) {
      v = 5;
      break;
    }
    v = get_local_id(0);
    p[get_global_id(0)] += v;
    if (i == n) {
      v = 6;
      break;
    }
  }
  if (v == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static int wait_at_zero(int v) {
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  return 1;
}

kernel void spoiled_behind_the_last_continue(global int *p, int n, int c) {
  int v = n;
  for (;; wait_at_zero(v)) {
    if (c++ < 7)
      continue;
    v = get_local_id(0);
    break;
  }
  p[get_global_id(0)] = v;
}

kernel void spoiled_before_a_return(global int *p, int n, int c) {
  int v = n;
  for (;; wait_at_zero(v)) {
    if (c++ < 7)
      continue;
    v = get_local_id(0);
    p[get_global_id(0)] = v;
    return;
  }
}

kernel void mended_behind_an_inner_loop(global int *p, int n, int c) {
  int v = n;
  for (int i = 0;; i++) {
    if (i > n)
      break;
    for (int j = 0;; j++) {
      if (j > c) {
        v = get_local_id(0);
        break;
      }
    }
    p[get_global_id(0)] += v;
    v = 5;
  }
  if (v == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void returned_before_the_step(global int *p) {
  int v = 0;
  for (;; wait_at_zero(v)) {
    v = get_local_id(0);
    p[get_global_id(0)] = v;
    return;
  }
}

kernel void left_before_the_step(global int *p, int c) {
  int v = 0;
  for (;; wait_at_zero(v)) {
    v = get_local_id(0);
    if (c) {
      p[get_global_id(0)] = v;
      break;
    } else {
      break;
    }
  }
}

kernel void behind_a_loop_that_some_leave(global int *p) {
  int i = 0;
  for (;;) {
    if (i == get_local_id(0))
      break;
    i = i + 1;
  }
  p[get_global_id(0)] = i;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void another_of_the_same_name(global int *p, int n, int c) {
  for (int i = 0; i < n; i++) {
    if (i < 5)
      barrier(CLK_GLOBAL_MEM_FENCE);
    if (c) {
      int i = get_local_id(0);
      p[get_global_id(0)] = i;
      continue;
    }
  }
}

kernel void bound_that_all_share(int n) {
  for (int i = 0; i < n; i++)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void step_that_mends(global int *p, int n) {
  int v = n;
  for (int i = 0; i < 10; v = 5, i++) {
    if (v == 0) {
      barrier(CLK_GLOBAL_MEM_FENCE);
      break;
    }
    v = get_local_id(0);
    p[get_global_id(0)] += v;
  }
}

kernel void step_that_mends_behind_continue(global int *p, int n) {
  int v = n;
  for (int i = 0; i < 10; v = 5, i++) {
    if (v == 0)
      barrier(CLK_GLOBAL_MEM_FENCE);
    v = get_local_id(0);
    p[get_global_id(0)] += v;
    continue;
  }
}

kernel void mended_by_the_last_step(global int *p, int n) {
  int v = n;
  for (int i = 0; i < n; v = 5, i++) {
    v = get_local_id(0);
    p[get_global_id(0)] += v;
  }
  if (v == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void mended_by_the_last_step_behind_continue(global int *p, int n) {
  int v = n;
  for (int i = 0; i < n; v = 5, i++) {
    v = get_local_id(0);
    p[get_global_id(0)] += v;
    continue;
  }
  if (v == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void spoiled_where_a_counted_loop_is_left(global int *p, int n, int c) {
  int v = n;
  for (int i = 0; i < 10; i++) {
    if (i > c) {
      v = get_local_id(0);
      break;
    }
    if (v == 0)
      barrier(CLK_GLOBAL_MEM_FENCE);
  }
  p[get_global_id(0)] = v;
}

kernel void behind_a_loop_with_a_bound_of_ones_own(global int *p) {
  for (int i = 0; i < get_local_id(0); i++)
    p[get_global_id(0)] += i;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void while_that_all_share(int n) {
  int i = 0;
  while (i < n) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    i++;
  }
}

kernel void spoiled_where_while_is_left(global int *p, int n, int c) {
  int v = n, i = 0;
  while (i < 10) {
    if (i > c) {
      v = get_local_id(0);
      break;
    }
    if (v == 0)
      barrier(CLK_GLOBAL_MEM_FENCE);
    i++;
  }
  p[get_global_id(0)] = v;
}

kernel void behind_while(global int *p) {
  int i = 0;
  while (i < get_local_id(0))
    i++;
  barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = i;
}

kernel void some_continue_behind_a_barrier(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == i)
      continue;
    p[get_global_id(0)] += i;
  }
}

kernel void some_continue_to_a_step_that_waits(global int *p, int n) {
  for (int i = 0; i < n; i = wait_and_add(i)) {
    if (get_local_id(0) == i)
      continue;
    p[get_global_id(0)] += i;
  }
}

kernel void some_break_and_all_wait_behind(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    if (get_local_id(0) == i)
      break;
    p[get_global_id(0)] += i;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void some_continue_and_all_wait_behind(global int *p, int n) {
  int i = 0;
  while (i++ < n) {
    if (get_local_id(0) == i)
      continue;
    p[get_global_id(0)] += i;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void nobody_comes_behind_break(global int *p, int n) {
  while (n) {
    p[get_global_id(0)] = 1;
    break;
    if (get_local_id(0) == 0)
      barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
