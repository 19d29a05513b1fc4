// A forward jump that stays within one round of a loop enters no loop from outside: the loop is reducible, and the revision
// lets the threads reconverge at the label. The draft of 2024 keeps them apart to the end of the body of the loop.
kernel void k(global int *data, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; i++) {
    data[t] += sub_group_reduce_add(1);  //~ defined
    if (data[t] & 1)
      goto skip;
    data[t] += sub_group_reduce_add(2);  //~ defined
  skip:  //~[tangles] implementation-defined //~[revised] defined
    data[t] += sub_group_reduce_add(3);  //~[tangles] warning[implementation-defined-convergence]@16: goto skip //~[revised] defined
  }
  data[t] += sub_group_reduce_add(4);  //~ defined
}
