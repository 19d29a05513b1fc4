// A pointer that is read from a record points where a pointer points that was stored there.
struct view {
  global int *data;
  global int *out;
  int length;
};

kernel void in_private_memory(global int *a, global int *out) {
  struct view v;
  v.data = a;
  v.out = out;
  v.out[get_global_id(0)] = 1;
  if (v.data[3] > 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void written_through_another_pointer(global int *a) {
  struct view v;
  v.data = a;
  a[get_local_id(0)] = get_local_id(0);
  if (v.data[get_local_id(0)] > 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `v.data[get_local_id(0)]`
}

kernel void at_the_id(global int *a, global int *out) {
  struct view v;
  v.data = a;
  v.out = out;
  if (v.data[get_local_id(0)] > 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
  v.out[get_global_id(0)] = 1;
}

kernel void in_local_memory(global int *a, global int *out) {
  local struct view v;
  if (get_local_id(0) == 0)
    v.data = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (v.data[3] > 0)
    barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = 1;
}

kernel void in_a_copy(global int *a, global int *out) {
  struct view v;
  v.data = a;
  v.out = out;
  struct view w = v;
  w.out[get_global_id(0)] = 1;
  if (w.data[3] > 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void to_private_memory(global int *out) {
  int own[2] = {get_local_id(0), 1};
  struct {
    int *data;
  } v;
  v.data = own;
  if (v.data[0] > 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void to_private_memory_that_is_uniform(int n) {
  int own[2] = {get_local_id(0), n};
  struct {
    int *data;
  } v;
  v.data = own;
  if (v.data[1] > 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void changed_through_the_pointer(int n) {
  int x = n;
  struct {
    int *data;
  } v;
  v.data = &x;
  *v.data = get_local_id(0);
  if (x > 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

// A barrier makes no private memory uniform: `q` points to a variable of the caller.
struct place {
  int *at;
  int n;
};

int one_of_two(int n, int *further, struct place *q) {
  int own = n;
  struct place s = {&own, n};
  struct place *either = &s;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n) {
    either = q;
    if (q->n > 0)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `*q`
  }
  int found = *either->at;
  q->at = further;
  return found;
}

kernel void to_private_memory_behind_a_barrier(global int *out, int n) {
  int x = n, y = n;
  struct place of_caller = {&x, get_local_id(0)};
  out[get_global_id(0)] = one_of_two(n, &y, &of_caller);
}
