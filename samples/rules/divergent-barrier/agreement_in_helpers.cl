// Helpers that wait do not keep everything apart: what they write before they wait, or behind it, and those that may not wait.

static void store(local int *p, int v) {
  p[get_local_id(0)] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
}

static void store_late(local int *p, int v) {
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_local_id(0)] = v;
}

static void sync_if(int n) {
  if (n)
    barrier(CLK_LOCAL_MEM_FENCE);
}

static void sync_or_leave(int n) {
  if (n > 7)
    return;
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void written_before_it_waits(global const int *restrict q, local int *p) {
  store(p, q[get_local_id(0)]);
  int old = p[0];
  store(p, old + 1);
  if (old)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `old`
}

kernel void written_behind_its_barrier(global const int *restrict q, local int *p) {  // No execution shows it: local memory is undefined until it is written
  store_late(p, q[get_local_id(0)]);
  if (p[0])
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `p[0]`
}

kernel void may_not_wait(global const int *restrict q, local int *p, int n) {  // No execution shows it: local memory is undefined until it is written
  p[get_local_id(0)] = q[get_local_id(0)];
  sync_if(n);
  if (p[0])
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `p[0]`
}

kernel void may_leave(global const int *restrict q, local int *p, int n) {  // No execution shows it: local memory is undefined until it is written
  p[get_local_id(0)] = q[get_local_id(0)];
  sync_or_leave(n);
  if (p[0])
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `p[0]`
}

// The same one, called with memory that the load does not read: it waits.
kernel void other_memory(global const int *restrict q, local int *p, local int *other) {
  store(p, q[get_local_id(0)]);
  if (p[0])
    barrier(CLK_LOCAL_MEM_FENCE);
  store_late(other, 1);
  if (p[1])
    barrier(CLK_LOCAL_MEM_FENCE);
}

// No barrier in front: who is fast reads before the write.
static int load_early(local int *p) {
  int value = *p;
  barrier(CLK_LOCAL_MEM_FENCE);
  return value;
}
kernel void read_before_the_barrier(global int *out, local int *flag, int n) {  // No execution shows it: local memory is undefined until it is written
  if (get_local_id(0) == 0)
    *flag = out[get_group_id(0)];
  if (load_early(flag) > n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// At an address of one's own.
static int load_at(local int *p, int i) {
  int value = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  value = p[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  return value;
}
kernel void read_at_an_id(global int *out, local int *flags, int n) {  // No execution shows it: local memory is undefined until it is written
  flags[get_local_id(0)] = n;
  if (load_at(flags, n) > n)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (load_at(flags, get_local_id(0)) > n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}
