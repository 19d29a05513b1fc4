// The call of a block counts as convergent. Its body is a function body of its own: a `goto` around the block says nothing
// of the statements in it, one in it says nothing of those around it.
kernel void k(global int *data, local int *tile) {
  int t = get_local_id(0);
  int (^exchange)(int) = ^(int with) {
    tile[t] = data[t];
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    if (tile[with] < 0)
      goto nothing;
    return tile[with];
  nothing:
    return 0;
  };
  data[t] = exchange(t ^ 1);  //~ tangles: function-body //~ defined
  if (data[t])
    goto out;
  data[t] = exchange(t ^ 2);  //~ tangles: sequence //~ defined
out:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
  data[t] = exchange(t ^ 4);  //~ warning[implementation-defined-convergence]@13: exchange
}
