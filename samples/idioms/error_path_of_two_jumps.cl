// As with a single jump the main path is gone, but now two jumps meet at the label: neither derives from the other
// (thread-convergence, Implementation-defined Convergence).
kernel void two_errors(global int *data, int n) {
  int i = get_global_id(0);
  if (data[i] >= n)
    goto bad;
  if (data[i] < 0)
    goto bad;
  data[i] = sub_group_reduce_add(data[i]);  //~ defined
  return;
bad:  //~ tangles: goto-label[forward], goto-label[forward] //~ implementation-defined //~ rejoins: 13
  data[i] = sub_group_reduce_max(data[i]);  //~ warning[implementation-defined-convergence]@13: goto bad
}
