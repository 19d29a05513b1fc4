// Loops that are left in the first round by all threads do not repeat, whatever their condition says; a jump out of one is
// a plain jump, and no family (docs/semantics.md §2, reachability: the end of the body is not reached).
kernel void once(global int *data, int n) {
  int t = get_local_id(0);
  for (;;) {
    if (data[t] > n)
      goto big;
    data[t] = sub_group_reduce_add(1);  //~ tangles: sequence //~ defined
    break;
  }
  data[t] += sub_group_reduce_add(2);  //~ tangles: sequence //~ defined
big:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
  data[t] += sub_group_reduce_add(3);  //~ warning[implementation-defined-convergence]@14: goto big
}
