// Why a barrier is not reached by all, where a store that not all threads make is the reason.

kernel void assignment_under_a_branch(int n) {
  int v = 0;
  if (get_local_id(0) < n) //~ origin: `get_local_id(0)`
    v = 1;
  if (v)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void element_under_a_branch(int n) {
  int a[2] = { 0, 0 };
  if (get_local_id(0) < n) //~ origin: `get_local_id(0)`
    a[1] = 1;
  if (a[1])
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

void set(int *flag) {
  *flag = 1;
}
kernel void call_that_stores_under_a_branch(int n) {
  int flag = 0;
  if (get_local_id(0) == 0) //~ origin: `get_local_id(0)`
    set(&flag);
  if (flag)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

void mark(int *flag) {
  if (get_local_id(0) < 3) //~ origin: `get_local_id(0)`
    *flag = 1;
}
kernel void branch_in_who_stores(int n) {
  int flag = 0;
  mark(&flag);
  if (flag)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

void mark_if(int *flag, int chosen) {
  if (chosen)
    *flag = 1;
}
kernel void branch_on_what_is_passed_to_who_stores(int n) {
  int flag = 0;
  mark_if(&flag, get_local_id(0) == n); //~ origin: `get_local_id(0)`
  if (flag)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

typedef struct { int ready, count; } State;
kernel void field_under_a_branch(int n) {
  State state = { 0, n };
  if (get_local_id(0) > 1) //~ origin: `get_local_id(0)`
    state.ready = 1;
  if (state.ready)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void assignment_in_a_case(int n) {
  int v = n;
  switch (get_local_id(0)) { //~ origin: `get_local_id(0)`
  case 0:
    v = 1;
    break;
  case 1:
    v = 2;
    break;
  }
  if (v == 1)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void assignment_in_a_loop(int n) {
  int last = 0;
  for (int i = 0; i < get_local_id(0); i++) //~ origin: `get_local_id(0)`
    last = i * n;
  if (last)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
