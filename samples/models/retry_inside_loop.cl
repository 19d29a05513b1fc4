// A retry loop in the body of a structured loop. The doubt of either model ends with the body at the latest.
kernel void k(global int *data, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; i++) {
    data[t] += sub_group_reduce_add(1);  //~ defined
  retry:
    data[t] -= sub_group_reduce_add(2);  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]@16
    if (data[t] > i)
      goto retry;
    data[t] += sub_group_reduce_add(3);  //~[tangles] warning[implementation-defined-convergence]@16 //~[revised] defined
  }
  data[t] += sub_group_reduce_add(4);  //~ defined
}
