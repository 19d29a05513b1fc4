// Helpers that get pointers to variables of their callers: what is behind the pointer is followed into the helper and out again.

static void wait_at_zero(const int *v) {
  if (*v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void value_behind_a_pointer(int n) {
  int v = n;
  wait_at_zero(&v);
}

static void looks(const int *v) {}

kernel void pointer_that_nothing_is_done_with(int n) {
  int v = n;
  looks(&v);
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static void to_42(int *v) { *v = 42; }

kernel void written_by_a_helper(global int *p) {
  int v = get_local_id(0);
  p[get_global_id(0)] = v;
  to_42(&v);
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static void to(int *v, int a) { *v = a; }

kernel void written_with_an_argument(global int *p, int n) {
  int v = get_local_id(0);
  p[get_global_id(0)] = v;
  to(&v, n);
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static void copy(int *v, const int *a) { *v = *a; }

kernel void written_from_another_pointer(global int *p, int n) {
  int v = get_local_id(0);
  int a = n;
  p[get_global_id(0)] = v;
  copy(&v, &a);
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static void copy_by_copy(int *v, int *a) { copy(v, a); }
static void copy_by_two(int *v, int *a) { copy_by_copy(v, a); }

kernel void written_three_calls_down(global int *p, int n) {
  int v = get_local_id(0);
  int a = n;
  p[get_global_id(0)] = v;
  copy_by_two(&v, &a);
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static int to_5(int *v) {
  *v = 5;
  return 6;
}

static int own_then_5(int *v) {
  *v = get_local_id(0);
  return to_5(v);
}

kernel void written_in_what_is_returned(global int *p) {
  int v = 0;
  p[get_global_id(0)] = own_then_5(&v);
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void called_by_all_or_none(int n, int c) {
  int a = n;
  if (c == 0)
    to_42(&a);
  if (a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static void clear_and_copy(int *a, int *b) {
  *a = 0;
  *b = *a;
}

kernel void cleared_before_it_is_copied(int n) {
  int a = get_local_id(0);
  int b = n;
  clear_and_copy(&a, &b);
  if (b == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static void copy_and_spoil(int *a, int *b) {
  *b = *a;
  *a = get_local_id(0);
}

kernel void copied_before_it_is_spoiled(global int *p, int n) {
  int a = n;
  int b = 0;
  copy_and_spoil(&a, &b);
  p[get_global_id(0)] = a;
  if (b == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// Only some call it, but it writes nothing.
kernel void some_call_what_does_nothing(global int *p, int n) {
  int a = n;
  if (get_local_id(0) == 0)
    looks(&a);
  if (a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static void clear_and_wait(int *v) {
  *v = 0;
  if (*v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void cleared_by_who_waits(global int *p) {
  int v = get_local_id(0);
  clear_and_wait(&v);
}

static void first_to_5(int *v) { v[0] = 5; }

// The helper gets a pointer into the middle.
kernel void element_that_a_helper_writes(global int *p) {
  int a[4];
  a[0] = a[1] = get_local_id(0);
  p[get_global_id(0)] = a[0];
  first_to_5(&a[1]);
  if (a[1] == 5)
    barrier(CLK_GLOBAL_MEM_FENCE);
}
