// The condition is the same for all work-items of the work-group, though it comes a long way.

// Constant memory at an address that is the same for all.
constant int modes[4] = { 0, 1, 0, 1 };
kernel void constant_table(constant int *table, int n) {
  if (modes[n & 3] + table[get_group_id(0)])
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Memory that nobody writes, at an address that is the same for all.
kernel void only_read(global const int *restrict table) {
  for (int i = table[get_group_id(0)]; i < table[get_group_id(0) + 1]; i++)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The value of one work-item, for all.
kernel void broadcast(global int *p) {
  int count = work_group_broadcast(p[get_global_id(0)], 0);
  for (int i = 0; i < count; i++)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// A reduction has one result.
kernel void reduced(global int *p) {
  if (work_group_reduce_max(p[get_global_id(0)]) > 100)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// One work-item writes, all wait, all read the same, and all wait before it is written again.
kernel void by_flag(global int *p, local int *go) {
  do {
    if (get_local_id(0) == 0)
      *go = p[get_group_id(0)]-- > 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int again = *go;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!again)
      break;
  } while (true);
}

// The variable held something of one's own before.
kernel void written_over(int n) {
  int x = get_local_id(0);
  x = n;
  if (x)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The branch decides what is written to something else.
kernel void other_variable(global int *p, int n) {
  int x = 0, y = n;
  if (get_local_id(0) < 4)
    x = 1;
  p[get_global_id(0)] = x;
  if (y)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// A counter in a loop of all.
kernel void counter(global int *p, int n) {
  int i;
  for (i = 0; i < n; i++)
    p[get_global_id(0) + i] = 0;
  if (i > 3)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// An array of one's own that holds the same for all, at an index that is the same for all.
kernel void private_array(int n, int m) {
  int steps[2] = { m, n };
  for (int i = 0; i < 2; i++)
    if (steps[i])
      barrier(CLK_LOCAL_MEM_FENCE);
}

// The other component of the vector.
kernel void component(local int *x) {
  int2 at = (int2)(get_local_id(0), get_group_id(0));
  if (at.y == 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The other field of the structure.
struct where { int item, group; };
kernel void field(local int *x) {
  struct where w;
  w.item = get_local_id(0);
  w.group = get_group_id(0);
  if (w.group == 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Arithmetic on what is the same for all.
kernel void arithmetic(int n, float scale) {
  int steps = min(convert_int(ceil(scale * n)), 16) << (get_group_id(0) & 1);
  while (steps-- > 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The swap of two pointers: both are the same for all, though what they point at differs.
kernel void swapped(local int *a, local int *b, int n) {
  for (int i = 0; i < n; i++) {
    a[get_local_id(0)] = b[get_local_id(0)];
    local int *c = a;
    a = b;
    b = c;
    if (a == b)
      break;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The user says so.
kernel void asserted(global int *p) {
  int count = p[get_local_id(0) & 0]; // tangle: uniform(workgroup): every element is the same
  if (count)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// Records are handed round, but all of them are the same for all.
struct pair { int first, second; };
kernel void handed_round(int n) {
  struct pair x = { 0, 0 }, y = { 1, n }, z;
  for (int i = 0; i < n; i++) {
    z = x;
    x = y;
    y = z;
  }
  if (x.first)
    barrier(CLK_LOCAL_MEM_FENCE);
}
