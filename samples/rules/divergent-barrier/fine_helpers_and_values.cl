// Helpers that are handed values and hand some back: what a helper asks of its parameter is asked of what is passed, and no more.

// The branch on the parameter decides what is stored, not what is handed back.
static int stores_and_hands_back(int i, global int *p) {
  if (i == 0)
    p[get_global_id(0)] = 42;
  return 7;
}

kernel void result_beside_a_branch(global int *p) {
  int x = stores_and_hands_back(get_local_id(0), p);
  if (x == 7)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static void wait_if(int go) {
  if (go == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void parameter_that_decides(global const int *settings, int n) {
  wait_if(n);
  wait_if(settings[0]);
}

static int one_more(int i) { return 1 + i; }

kernel void result_from_a_parameter(int n) {
  if (one_more(n) == 7)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// The same helper gets what differs elsewhere: each call has a result of its own.
kernel void result_of_this_call(global int *p, int n) {
  p[get_global_id(0)] = one_more(get_local_id(0));
  if (one_more(n) == 7)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static void returns_early(global int *p) {
  if (get_local_id(0) == 0) {
    p[get_global_id(0)] = 42;
    return;
  }
  p[get_global_id(0)] = 5;
}

kernel void together_behind_the_call(global int *p) {
  returns_early(p);
  barrier(CLK_GLOBAL_MEM_FENCE);
}

static void returns_on_both_ways(global int *p) {
  if (p[get_global_id(0)] == 42) {
    p[get_global_id(0)] = 1;
    return;
  } else {
    return;
  }
}

kernel void together_behind_a_call_of_some(global int *p) {
  if (get_local_id(0) == 3)
    returns_on_both_ways(p);
  barrier(CLK_GLOBAL_MEM_FENCE);
}

// Nobody comes to the step of this loop.
kernel void step_that_nobody_takes(global int *p) {
  for (;; wait_if(get_local_id(0))) {
    p[get_global_id(0)] = 1;
    break;
  }
}

// Whoever comes to the step has assigned before.
kernel void step_behind_an_assignment(global int *p, int c) {
  int v = get_local_id(0);
  for (int i = 0;; i++, wait_if(v)) {
    p[get_global_id(0)] += v;
    if (i < c) {
      v = 0;
      continue;
    }
    break;
  }
}

static int next_of(int *state) {
  if (*state == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  return 0;
}

static int own_to(int *state) {
  *state = get_local_id(0);
  return 0;
}

// The helper that waits is called first.
kernel void waits_before_it_is_spoiled(int n) {
  int i = n;
  int a[4] = {0};
  int to = next_of(&i);
  a[to] = a[own_to(&i)];
}

kernel void waits_before_it_is_spoiled_and_adds(int n) {
  int i = n;
  int a[4] = {0};
  int to = next_of(&i);
  a[to] += a[own_to(&i)];
}

kernel void read_before_it_is_spoiled(int n) {
  int i = n;
  int a[4] = {0};
  int before = i;
  i = before + a[own_to(&i)];
  if (i == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

static int waits_and_spoils(int *state) {
  if (*state == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  *state = get_local_id(0);
  return 0;
}

// The index of what is changed in place is computed once.
kernel void index_of_an_addition(int n) {
  int f = n;
  int a[4] = {0};
  a[waits_and_spoils(&f)] += 1;
}

kernel void index_of_a_step(int n) {
  int f = n;
  int a[4] = {0};
  a[waits_and_spoils(&f)]++;
}

static void wait_on(global const int *sizes) {
  if (*sizes == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void memory_that_is_only_read(global const int *sizes) {
  wait_on(sizes);
}

kernel void loaded_behind_a_barrier(global int *p) {
  local int data[64];
  data[get_local_id(0)] = get_local_id(0) + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (data[0] > 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}
