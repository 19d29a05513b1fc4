// A backward jump out of a loop to before it. The draft of 2024 has a family at the label, because the loop was left in
// different rounds; the revision has the span, and what the loop inside inherits. They part only behind it.
kernel void k(global int *data, int n) {
  int t = get_local_id(0);
restart:  //~ implementation-defined
  data[t] += sub_group_reduce_add(1);  //~ warning[implementation-defined-convergence]@14
  for (int i = 0; i < n; i++) {
    data[t] += sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]@16
    if (data[i ^ t] < 0)
      goto restart;
  }
  data[t] += sub_group_reduce_add(3);  //~[tangles] warning[implementation-defined-convergence]@14 //~[revised] defined
}
