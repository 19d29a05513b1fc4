// The retry loop in a block: behind the block both models are silent, within it each has its own doubt.
kernel void k(global int *data) {
  int t = get_local_id(0);
  {
  retry:
    data[t] -= sub_group_reduce_add(1);  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]@16
    if (data[t] > 0)
      goto retry;
    data[t] -= sub_group_reduce_add(2);  //~[tangles] warning[implementation-defined-convergence]@16 //~[revised] defined
  }
  data[t] -= sub_group_reduce_add(3);  //~ defined
}
