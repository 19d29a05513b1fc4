// Irreducible cycles: the criteria of convergence-and-uniformity.rst for diverged entry and for diverged paths that leave the
// cycle. Which way all threads enter is uniform.

// The threads that leave the cycle at `x` enter it again at `b`, the join of the branch.
kernel void comes_back(global int *p, int n) {
  int t = get_local_id(0), i = 0;  //~ origin: `get_local_id(0)`
  if (n == 1)
    goto b;
  if (n == 2)
    goto x;
a:
  if (t & 1)
    goto x;
b:
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier] //~ warning[implementation-defined-convergence]
  if (i++ < n)
    goto a;
  return;
x:
  p[t] = i;
  goto b;
}
// The branch dominates its join.
kernel void branch_dominates(global int *p, int n) {
  int t = get_local_id(0), i = 0;
  if (n > 3)
    goto in;
  while (i < n) {
    p[0] = i;
  in:
    if (t & 1)
      p[t] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    i++;
  }
}
// The header dominates the join.
kernel void header_dominates(global int *p, int n) {
  int t = get_local_id(0), i = 0;
  if (n > 3)
    goto tail;
  while (i < n) {
    if ((i & 1) && (t & 1))
      p[t] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
  tail:
    i++;
  }
}
// A reducible cycle inside satisfies the condition.
kernel void inner_cycle(global int *p, int n) {
  int t = get_local_id(0), i = 0;
  if (n > 3)
    goto in;
  while (i < n) {
    p[0] = i;
  in:
    for (int j = 0; j < n; j++) {
      if (t & 1)
        p[t] = 1;
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
    i++;
  }
}
// The entry is on the diverged path to the join.
kernel void entry_on_the_path(global int *p, int n) {
  int t = get_local_id(0), i = 0;  //~ origin: `get_local_id(0)`
  if (n > 3)
    goto in;
  while (i < n) {
    if (t & 1) {
      p[0] = i;
    in:
      p[t] = 1;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
    i++;
  }
}
