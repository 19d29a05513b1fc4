// From the then-side to the else-side: no loop, so only the draft of 2024 objects (docs/semantics.md §4c).
kernel void k(global int *data) {
  int t = get_local_id(0);
  if (data[t] > 0) {
    data[t] += sub_group_reduce_add(1);  //~ defined
    goto common;
  } else {
    data[t] += sub_group_reduce_add(2);  //~ defined
  common:
    data[t] += sub_group_reduce_add(3);  //~[tangles] warning[implementation-defined-convergence]@16: goto common //~[revised] defined
  }
  data[t] += sub_group_reduce_add(4);  //~ defined
}
