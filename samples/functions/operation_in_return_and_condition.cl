// The operation may stand in any expression: a condition, a declaration, a `return`, a `switch`, an index.
int helper(global int *out, int v) {
  if (v & 1)
    goto on;
  v += 1;
on:
  if (sub_group_any(v))  //~ warning[implementation-defined-convergence]: sub_group_any
    v += 1;
  int w = sub_group_reduce_add(v);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
  while (sub_group_all(w > v))  //~ warning[implementation-defined-convergence]: sub_group_all
    ++v;
  do
    ++v;
  while (sub_group_any(w > v));  //~ warning[implementation-defined-convergence]: sub_group_any
  switch (sub_group_broadcast(v, 0)) {  //~ warning[implementation-defined-convergence]: sub_group_broadcast
  case 0:
    out[sub_group_scan_inclusive_add(v)] = 1;  //~ warning[implementation-defined-convergence]: sub_group_scan_inclusive_add
  }
  return sub_group_reduce_max(v);  //~ warning[implementation-defined-convergence]: sub_group_reduce_max
}
