// A structured `if` and a structured loop inside a loop with two entries. They add no doubt of their own, but the set of
// threads that comes to them is in doubt (docs/semantics.md §4d).
kernel void k(global int *data, int n) {
  int t = get_local_id(0), i = 0;
  if (data[t] > 0)
    goto inside;
  do {
    data[t]++;  //~ implementation-defined
  inside:  //~ implementation-defined
    if (data[t] & 1) {  //~ implementation-defined
      data[t] += sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]@18
    }
    for (int j = 0; j < n; j++)
      data[t] += sub_group_reduce_add(3);  //~ warning[implementation-defined-convergence]@18
  } while (++i < n);
}
