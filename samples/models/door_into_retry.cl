// A second entry into the span of a backward jump. Both models leave the span to the implementation, for different
// reasons; behind it the revision has no cycle and no doubt (docs/semantics.md §3.1, 4b, 4d).
kernel void k(global int *data, int n) {
  int t = get_local_id(0);
  if (data[t] > n)
    goto warm;
cold:
  data[t] = sub_group_reduce_add(1);  //~ warning[implementation-defined-convergence]@13
warm:  //~ implementation-defined
  data[t] = sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]@13
  if (data[t] > 0)
    goto cold;
  data[t] = sub_group_reduce_add(3);  //~[tangles] warning[implementation-defined-convergence]@13 //~[revised] defined
}
