// Calls by which every work-item reaches the barrier.

void sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }

// A helper outside of the branch.
kernel void helper_behind(local int *x) {
  if (get_local_id(0) < 16)
    x[get_local_id(0)] = 0;
  sync();
}

// A helper without a barrier inside of it.
int twice(int x) { return 2 * x; }
kernel void helper_without(local int *x) {
  if (get_local_id(0) < 16)
    x[get_local_id(0)] = twice(x[get_local_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The parameter that decides is the same for all, in every call.
void sync_if(int wanted) {
  if (wanted)
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void parameter_decides(local int *x, int n) {
  sync_if(n);
  sync_if(get_group_id(0) & 1);
  sync_if(1);
}

// The parameter of one's own decides nothing about the barrier.
void store(local int *x, int i, int value) {
  if (i < 16)
    x[i] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void parameter_beside(local int *x) { store(x, get_local_id(0), 1); }

// The result of a helper is the same for all.
int rows(int n) { return (n + get_local_size(0) - 1) / get_local_size(0); }
kernel void helper_result(int n) {
  for (int i = 0; i < rows(n); i++)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// A helper that returns the same on both sides of a branch of all.
int limit_of(int mode) {
  if (mode)
    return 4;
  return 8;
}
kernel void helper_branches(int mode) {
  for (int i = 0; i < limit_of(mode); i++)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// A helper returns early for some; its barrier is before that.
void step(local int *x, int i, int n) {
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= n)
    return;
  x[i] = 0;
}
kernel void helper_returns_behind(local int *x, int n) {
  step(x, get_local_id(0), n);
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Only a helper that nobody calls could go wrong.
void unused(int i) {
  if (i)
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void calls_nothing(local int *x) { barrier(CLK_LOCAL_MEM_FENCE); }

// Recursion with the same depth for all.
void again(int left) {
  if (left == 0)
    return;
  barrier(CLK_LOCAL_MEM_FENCE);
  again(left - 1);
}
kernel void recursion(int n) { again(n); }

// The result of one, for all, through a helper.
int from_first(int own) { return work_group_broadcast(own, 0); }
kernel void helper_broadcasts(global int *p) {
  if (from_first(p[get_global_id(0)]))
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// The user says so.
// tangle: uniform(workgroup): one tile for each work-group
int tile_of(global const int *map);
kernel void asserted_result(global const int *map) {
  if (tile_of(map + get_global_id(0)))
    barrier(CLK_LOCAL_MEM_FENCE);
}
