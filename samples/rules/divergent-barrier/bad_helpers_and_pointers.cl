// Helpers that get pointers to variables of their callers, behind which is what differs, or is left what differs.

static void waits(const int *v, int n) {
  if (*v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void value_behind_a_pointer(int n) {
  int v = get_local_id(0);
  waits(&v, n);
}

static void waits_and_clears(int *v, int n) {
  if (*v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  *v = 0;
}

kernel void cleared_behind_the_barrier(int n) {
  int v = get_local_id(0);
  waits_and_clears(&v, n);
}

static void waits_only(int *v, int n) {
  if (*v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void cleared_behind_the_call(global int *p, int n) {
  int v = get_local_id(0);
  waits_only(&v, n);
  v = 0;
  p[get_global_id(0)] = v;
}

static void looks(const int *v) {}

kernel void pointer_that_nothing_is_done_with(int n) {
  int v = get_local_id(0);
  looks(&v);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void own_to(int *v) { *v = get_local_id(0); }

kernel void written_by_a_helper(int n) {
  int v = 0;
  own_to(&v);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void to(int *v, int a) { *v = a; }

kernel void written_with_an_argument(int n) {
  int v = 0;
  to(&v, get_local_id(0));
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void copy(int *v, const int *a) { *v = *a; }

kernel void written_from_another_pointer(int n) {
  int v = 0;
  int a = get_local_id(0);
  copy(&v, &a);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void copy_by_copy(int *v, int *a) { copy(v, a); }
static void copy_by_two(int *v, int *a) { copy_by_copy(v, a); }

kernel void written_three_calls_down(int n) {
  int v = 0;
  int a = get_local_id(0);
  copy_by_two(&v, &a);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static int own_and_6(int *v) {
  *v = get_local_id(0);
  return 6;
}

static int clears_then_own(int *v) {
  *v = 5;
  return own_and_6(v);
}

kernel void written_in_what_is_returned(global int *p, int n) {
  int v = 0;
  p[get_global_id(0)] = clears_then_own(&v);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void own_or_5(int *v, int c) {
  if (c)
    *v = get_local_id(0);
  else
    *v = 5;
}

kernel void one_way_of_the_helper(int n, int c) {
  int v = 0;
  own_or_5(&v, c);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void own_and_out(int *v, int c) {
  if (c) {
    *v = get_local_id(0);
    return;
  }
  *v = 5;
}

kernel void return_of_the_helper(int n, int c) {
  int v = 0;
  own_and_out(&v, c);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void own_in_a_case(int *v, int c, int d) {
  switch (c) {
  case 0:
    if (d) {
      *v = get_local_id(0);
      break;
    }
    *v = 5;
    break;
  default:
    *v = 6;
  }
}

kernel void break_out_of_a_case(int n, int c, int d) {
  int v = 0;
  own_in_a_case(&v, c, d);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void own_at_the_end(int *v, int c) {
  for (int i = 0;; i++) {
    if (i > c) {
      *v = get_local_id(0);
      break;
    }
    *v = 5;
  }
}

kernel void break_out_of_a_loop(int n, int c) {
  int v = 0;
  own_at_the_end(&v, c);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void own_for_the_next_iteration(int *v, int n, int c) {
  for (int i = 0; i < 4; i++) {
    if (*v == n) {
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
      break;
    }
    if (c) {
      *v = get_local_id(0);
      continue;
    }
    *v = 5;
  }
}

kernel void continue_of_the_helper(int n, int c) {
  int v = 7;
  own_for_the_next_iteration(&v, n, c);
}

static void maybe_5(int *v, int c) {
  if (c) {
    *v = 5;
    return;
  }
}

kernel void mended_sometimes(int n, int c) {
  int v = get_local_id(0);
  maybe_5(&v, c);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void to_42(int *v) { *v = 42; }

kernel void some_call_it(global const int *own, int n) {
  int a = n;
  if (own[get_global_id(0)] == 0)
    to_42(&a);
  if (a == 42)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void to_42_by_another(int *v) { to_42(v); }

kernel void some_call_what_calls_it(global const int *own, int n) {
  int a = n;
  if (own[get_global_id(0)] == 0)
    to_42_by_another(&a);
  if (a == 42)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void copy_and_clear(int *a, int *b) {
  *b = *a;
  *a = 0;
}

kernel void copied_before_it_is_cleared(int n) {
  int a = get_local_id(0);
  int b = 0;
  copy_and_clear(&a, &b);
  if (b == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void spoil_and_copy(int *a, int *b) {
  *a = get_local_id(0);
  *b = *a;
}

kernel void spoiled_before_it_is_copied(int n) {
  int a = 0, b = 0;
  spoil_and_copy(&a, &b);
  if (b == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void step(int *v) { (*v)++; }

kernel void stepped_in_place(int n) {
  int v = get_local_id(0);
  step(&v);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void own_to_both(int *a, int *b) {
  *a = get_local_id(0);
  *b = get_local_id(0);
}

kernel void second_of_two(int n) {
  int a = 0, b = 0;
  own_to_both(&a, &b);
  if (b == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void sum(int *a, int *b, int *c) {
  *a = *a;
  *b = *b;
  *c = *a + *b;
}

kernel void third_of_three(int n) {
  int a = get_local_id(0), b = 0, c = 0;
  sum(&a, &b, &c);
  if (c == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static int spoils(int *all) {
  for (int i = 0; i < 4; i++)
    all[i] = get_local_id(0);
  return 0;
}

kernel void spoiled_by_the_index_that_is_read(int n) {
  int v[4] = {n, n, n, n};
  int x = v[spoils(v)];
  if (x == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void spoiled_by_the_index_that_is_written(int n) {
  int v[4] = {n, n, n, n};
  v[spoils(v)] = 42;
  if (v[2] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static int own_and_true(int *v) {
  *v = get_local_id(0);
  return 1;
}

static int to_42_and_true(int *v) {
  *v = 42;
  return 1;
}

kernel void mended_by_an_operand(int n, int c) {
  int v = get_local_id(0);
  int b = c && to_42_and_true(&v);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void spoiled_by_an_operand(int n, int c) {
  int v = 42;
  int b = c && own_and_true(&v);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// All elements are the same for all, but each thread looks at another one.
static void waits_at_an_element(const int *all, int n) {
  const int *at = &all[get_local_id(0) & 3];
  if (*at == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void element_of_ones_own(int n) {
  int v[4] = {0, 1, 2, 3};
  waits_at_an_element(v, n);
}

static void waits_there(const int *at, int n) {
  if (*at == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}
static void hands_on(const int *at, int n) { waits_there(at, n); }

kernel void pointer_of_ones_own_through_two_calls(int n) {
  int v[4] = {0, 1, 2, 3};
  const int *at = &v[get_local_id(0) & 3];
  hands_on(at, n);
}

static void waits_at_it(const int *at, int n) {
  if (*at == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}
static void hands_it_on(const int *at, int n) { waits_at_it(at, n); }

kernel void one_element_differs_through_two_calls(int n, int i) {
  int v[4] = {0, 0, 0, get_local_id(0)};
  const int *at = &v[i & 3];
  hands_it_on(at, n);
}

static void element_to_5(int *at) { *at = 5; }

kernel void element_of_ones_own_that_a_helper_writes(int n) {
  int a[4] = {n, n, n, n};
  int *at = &a[get_local_id(0) & 3];
  element_to_5(at);
  if (a[0] == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_element_that_a_helper_writes(int n) {
  int a[4] = {n, n, n, n};
  a[0] = get_local_id(0);
  int *at = &a[1];
  element_to_5(at);
  if (a[0] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void writes_at_its_own(int *all) {
  int *at = &all[get_local_id(0) & 3];
  *at = 5;
  if (all[0] == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void element_of_ones_own_behind_a_parameter(int n) {
  int a[4] = {n, n, n, n};
  writes_at_its_own(a);
}
