// Helpers that are handed what differs, or hand it back.

static void wait_if(int go) {
  if (go == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void parameter_that_decides(int n) {
  wait_if(get_local_id(0) - n);
}

static int one_more(int i) { return 1 + i; }

kernel void result_from_a_parameter(int n) {
  if (one_more(get_local_id(0)) == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void zoo(int a) {
  if (a == 4)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}
static void bar(int b) { zoo(b); }
static void foo(int c) { bar(c); }

kernel void parameter_of_a_parameter_of_a_parameter(int n) {
  foo(n + get_local_id(0));
}

static int own(void) { return get_local_id(0); }
static int own_of_own(void) { return own(); }
static int own_of_both(void) { return own_of_own(); }

kernel void result_of_a_result_of_a_result(int n) {
  if (own_of_both() == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void waits_at_zero(int v) {
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void called_by_some(int n) {
  if (get_local_id(0) == n)
    waits_at_zero(0);  //~ error[divergent-barrier]
}

kernel void returned_by_some(global int *p, int n) {
  if (p[get_global_id(0)] == n)
    return;
  p[get_global_id(0)] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void returns_behind_a_loop(int *v) {
  for (int i = 0; i < 3; i++)
    continue;
  if (*v == 0)
    return;
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void behind_a_loop_of_the_helper(int n) {
  int f = get_local_id(0);
  returns_behind_a_loop(&f);
}

static int index_that_waits(const int *state) {
  if (*state == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 0;
}

kernel void index_of_an_addition(int n) {
  int a[4] = {n};
  int f = get_local_id(0);
  a[index_that_waits(&f)] += 1;
}

static int number_that_waits(const int *state) {
  if (*state == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 0;
}

kernel void index_of_a_step(int n) {
  int a[4] = {n};
  int f = get_local_id(0);
  a[number_that_waits(&f)]++;
}

static int own_to(int *state) {
  *state = get_local_id(0);
  return 0;
}

static int waits_behind(const int *state) {
  if (*state == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 0;
}

kernel void spoiled_before_it_waits(int n) {
  int i = n;
  int a[4] = {0};
  int to = own_to(&i);
  a[to] = a[waits_behind(&i)];
}

static int waits_behind_it(const int *state) {
  if (*state == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 0;
}

kernel void spoiled_before_it_waits_and_adds(int n) {
  int i = n;
  int a[4] = {0};
  int to = own_to(&i);
  a[to] += a[waits_behind_it(&i)];
}

static int index_if(int go) {
  if (go == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 0;
}

kernel void index_of_what_is_written(int n) {
  int a[4] = {n};
  a[index_if(get_local_id(0))] = 0;
}

static int index_of(int go) {
  if (go == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 0;
}

kernel void index_behind_an_address(int n) {
  int a[4] = {n};
  *&(a[index_of(get_local_id(0))]) = 0;
}

static int row_of(int go) {
  if (go == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  return 0;
}

kernel void index_before_a_lane(int n) {
  int4 a[4] = {(int4)(n)};
  (&(a[row_of(get_local_id(0))]))->y = 0;
}

static int zero_to(int *state) {
  *state = 0;
  return 0;
}

// Read before it is mended.
kernel void mended_too_late(int n) {
  int i = get_local_id(0);
  int a[4] = {n};
  int before = i;
  i = before + a[zero_to(&i)];
  if (i == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static void wait_on(global const int *at, int n) {
  if (*at == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void memory_behind_a_parameter(global int *rw, int n) {
  rw[get_global_id(0)] = get_local_id(0);
  wait_on(&rw[get_global_id(0)], n);
}

static int load(global const int *at) { return *at; }

kernel void memory_that_is_handed_back(global int *rw, int n) {
  rw[get_global_id(0)] = get_local_id(0);
  if (n == load(&rw[get_global_id(0)]))
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void loaded_at_ones_own_place(int n) {
  local int data[64];
  data[get_local_id(0)] = get_local_id(0) + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (data[get_local_id(0)] > n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static int load_behind_a_barrier(local int *data) {
  barrier(CLK_LOCAL_MEM_FENCE);
  return data[0];
}

kernel void loaded_by_a_helper_at_ones_own_place(int n) {
  local int data[64];
  data[get_local_id(0)] = get_local_id(0) + 1;
  if (load_behind_a_barrier(&data[get_local_id(0)]) > n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void converted(global int *p, int n) {
  float x = (float)p[get_global_id(0)];
  p[get_global_id(0)] = n;
  if (x > n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void the_same_bits(global int *p, float n) {
  float x = as_float(p[get_global_id(0)]);
  p[get_global_id(0)] = 1;
  if (x > n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}
