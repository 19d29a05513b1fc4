// The condition differs between work-items, but not at first sight.

// The value comes together behind a divergent branch: 1 for some, 0 for the others.
kernel void joined(local int *x) {
  int flag = 0;
  if (get_local_id(0) < 4)
    flag = 1;
  if (flag)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `flag`
}

// A counter is the same for all in a loop, but behind it each has the number with which it left.
kernel void temporal(global int *p) {
  int i = 0;
  while (p[get_global_id(0) + i])
    i++;
  if (i > 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i`
}

// Memory at an address of one's own.
kernel void loaded(global const int *restrict p) {
  int mode = p[get_global_id(0)];
  if (mode)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `mode`
}

// Constant memory, but at an address of one's own.
constant int modes[4] = { 0, 1, 0, 1 };
kernel void constant_table(local int *x) {
  if (modes[get_local_id(0) & 3])
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// An array of one's own, at an index of one's own.
kernel void private_array(int n) {
  int steps[2] = { 0, n };
  if (steps[get_local_id(0) & 1])
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// An array whose element was written with a value of one's own.
kernel void private_element(int n) {
  int steps[2];
  steps[0] = n;
  steps[1] = get_local_id(0);
  if (steps[1] > 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// One component of a vector.
kernel void component(local int *x) {
  int2 at = (int2)(get_local_id(0), get_group_id(0));
  if (at.x == 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// A field of a structure.
struct where { int item, group; };
kernel void field(local int *x) {
  struct where w;
  w.item = get_local_id(0);
  w.group = get_group_id(0);
  if (w.item == 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// A variable that is written through a pointer.
kernel void through_pointer(local int *x) {
  int own = 0;
  int *to = &own;
  *to = get_local_id(0);
  if (own)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// The choice of a value, not a jump.
kernel void chosen(int a, int b) {
  int c = select(a, b, (int)get_local_id(0) < 4);
  int d = get_local_id(0) & 1 ? a : b;
  if (c)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
  if (d)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// The scan gives each work-item another sum, although it is a collective.
kernel void scanned(global int *p) {
  int before = work_group_scan_exclusive_add(p[get_global_id(0)]);
  if (before < 100)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `before`
}

// A vote of the sub-group is the same in the sub-group only.
kernel void sub_group_vote(global int *p) {
  if (sub_group_any(p[get_global_id(0)]))
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: sub_group_any
}

// A vote in a loop whose end is one's own: who has left takes no part.
kernel void loop_bound_changes(global int *p, int n) {
  int bound = n;
  for (int i = 0; i < bound; i++) {
    if (p[get_global_id(0)] == i)
      bound = i;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `bound`
  }
}

// Records are handed round: each is what another was an iteration ago, and one of them was different for all at first.
struct pair { int first, second; };
kernel void handed_round(int n) {
  struct pair x = { 0, 0 }, y = { (int)get_local_id(0), n }, z;
  for (int i = 0; i < n; i++) {
    z = x;
    x = y;
    y = z;
  }
  if (x.first)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}
