// A jump into a `switch` from before it. The label has the threads of its `case` and those of the jump, and the latter stay
// apart behind the `switch` too, because the jump was outside (thread-convergence, Divergent Jumps).
kernel void dispatch(global int *data, int mode) {
  int t = get_local_id(0);
  if (data[t] < 0)  //~ tangles: function-body
    goto negate;
  switch (data[t] & mode) {  //~ tangles: sequence
  case 0:  //~ tangles: case-label
    data[t] = sub_group_reduce_add(1);  //~ defined
    break;
  case 1:  //~ tangles: case-label //~ defined
    data[t] = sub_group_reduce_add(2);  //~ defined
  negate:  //~ tangles: case-label, goto-label //~ implementation-defined //~ rejoins: 20
    data[t] = sub_group_reduce_add(3);  //~ warning[implementation-defined-convergence]@15: goto negate
    break;
  default:  //~ tangles: case-label //~ defined
    data[t] = sub_group_reduce_add(4);  //~ defined
  }
  data[t] = sub_group_reduce_add(5);  //~ warning[implementation-defined-convergence]@13: goto negate
}
