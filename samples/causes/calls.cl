// Why a barrier is not reached by all, where the reason is behind calls: the chain ends where a person would point.

int lane(void) {
  return get_local_id(0); //~ origin: `get_local_id(0)`
}
kernel void result_of_a_call(global int *p) {
  if (lane() == 0)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

int inner(void) {
  int id = get_local_id(1); //~ origin: `get_local_id(1)`
  return id * 2;
}
int outer(int n) {
  return inner() + n;
}
kernel void result_of_a_call_in_a_call(int n) {
  int at = outer(n);
  if (at > n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(1)`
}

int twice(int n) {
  return 2 * n;
}
kernel void argument_that_a_call_hands_back(int n) {
  int id = get_local_id(0); //~ origin: `get_local_id(0)`
  int even = twice(id);
  if (even < n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

void sync_if(int n) {
  if (n > 1)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
kernel void argument_of_who_waits(global int *p) {
  sync_if(get_local_id(0)); //~ origin: `get_local_id(0)`
}

void sync_deep(int n) {
  if (n > 1)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
void middle(int m) {
  int more = m + 1;
  sync_deep(more);
}
kernel void argument_through_two_calls(global int *p) {
  int id = get_local_id(0); //~ origin: `get_local_id(0)`
  middle(id);
}

int pick(int n) {
  if (get_local_id(0) < 4) //~ origin: `get_local_id(0)`
    return n;
  return 0;
}
kernel void result_that_a_branch_of_the_callee_decides(int n) {
  int picked = pick(n);
  if (picked)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

void work(local int *l) {
  l[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void call_under_a_branch(local int *l, int n) {
  if (get_local_id(0) < n) //~ origin: `get_local_id(0)`
    work(l); //~ error[divergent-barrier]: `get_local_id(0)`
}

void sync_up_to(int n) {
  for (int i = 0; i < n; i++)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
kernel void right_caller(int n) {
  sync_up_to(n);
}
kernel void wrong_caller(int n) {
  sync_up_to(n - get_local_id(0)); //~ origin: `get_local_id(0)`
}

int count_at(global const int *counts) {
  return counts[get_global_id(0)]; //~ origin: `get_global_id(0)`
}
kernel void result_read_at_an_id(global const int *counts) {
  int count = count_at(counts);
  for (int i = 0; i < count; i++)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_global_id(0)`
}

typedef struct { int row, column; } Place;
Place place_of(int width) {
  Place place;
  place.row = get_local_id(0) / width; //~ origin: `get_local_id(0)`
  place.column = 0;
  return place;
}
kernel void record_that_a_call_returns(int width) {
  Place place = place_of(width);
  if (place.row == 0)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

void read(global const int *p, int *out) {
  *out = p[3]; //~ origin: `p[3]`
}
kernel void read_by_a_callee(global int *p, int n) {
  int value;
  read(p, &value);
  p[get_global_id(0)] = n;
  if (value)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: from `p[3]`
}

int third(global const int *p) {
  return p[3]; //~ origin: `p[3]`
}
int third_of(global const int *p, int n) {
  return third(p) + n;
}
kernel void read_by_a_callee_of_a_callee(global int *p, int n) {
  p[get_global_id(0)] = n;
  if (third_of(p, n))
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `p[3]`
}
