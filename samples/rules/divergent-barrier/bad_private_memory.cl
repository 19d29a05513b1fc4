// Private memory in order, in which what differs is still there.

typedef struct {
  int begin, end;
} range;

// The field has a value of one's own by then.
kernel void field_behind(global int *p, int n, int c) {
  range r = {n, c};
  r.end = get_local_id(0);
  if (r.end == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// Some write it, and some do not.
kernel void by_some(global int *p, int n) {
  int v = n;
  int *at = &v;
  if (get_local_id(0) < 4)
    *at = 3;
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// The same for all, but only on one way is what differs overwritten.
kernel void on_one_way(global int *p, int n) {
  int v = get_local_id(0);
  int *at = &v;
  if (n > 3)
    *at = 3;
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// The last lane is not written again.
kernel void last_lane(global int *p, int n) {
  int4 x = (int4)(get_local_id(0));
  x.xyz = (int3)(n);
  if (x.w > 3)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// An element of which only the execution knows the number is written: the others keep what they have.
kernel void some_element(global int *p, int n) {
  int scratch[4] = {get_local_id(0), get_local_id(0), get_local_id(0), get_local_id(0)};
  scratch[n & 3] = n;
  if (scratch[0] > 3)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// An element with a number of one's own is written.
kernel void own_element(global int *p, int n) {
  int taps[2] = {n, n};
  taps[get_local_id(0) & 1] = 0;
  if (taps[0] > 3)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// What the iteration before has left is read.
kernel void of_the_iteration_before(global int *p, int n) {
  range r = {0, n};
  for (int i = 0; i < n; i++) {
    if (r.end > i)
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
    r.end = get_local_id(0);
  }
}

// In each iteration it is the same for all, but they leave the loop in different ones.
kernel void behind_the_loop(global int *p, int n) {
  int left[1] = {n};
  while (left[0] > get_local_id(0))
    left[0]--;
  if (left[0] == 3)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// A helper that writes only sometimes.
static void maybe(int n, int *out) {
  if (n > 3)
    *out = n;
}

kernel void sometimes(global int *p, int n) {
  int v = get_local_id(0);
  maybe(n, &v);
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// A helper that returns before it writes.
static void early(int n, int *out) {
  if (n > 3)
    return;
  *out = n;
}

kernel void not_on_each_way(global int *p, int n) {
  int v = get_local_id(0);
  early(n, &v);
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// A helper that writes less than there is.
static void first_of(int *out, int n) { *out = n; }

kernel void the_second(global int *p, int n) {
  int pair[2] = {get_local_id(0), get_local_id(0)};
  first_of(pair, n);
  if (pair[1] == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// Both pointers lead to one variable.
static void both(int own, int n, int *first, int *second) {
  *second = n;
  *first = own;
}

kernel void twice(global int *p, int n) {
  int v = 0;
  both(get_local_id(0), n, &v, &v);
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// The helper itself asks what is behind the other pointer.
static void asks(int own, int n, int *first, int *second) {
  *second = n;
  *first = own;
  if (*second)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void twice_again(global int *p, int n) {
  int v = 0;
  asks(get_local_id(0), n, &v, &v);
}

// Memory that all share is not the helper's own, whatever it has written there.
static void write_and_read(int own, int n, int *at) {
  at[own] = own;
  *at = n;
  if (*at)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void shared_behind_pointer(local int *m, int n) {
  write_and_read(get_local_id(0), n, m);
}
