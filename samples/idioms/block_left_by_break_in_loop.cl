// `do { … } while (0)` as a block that `break` leaves, in a loop that repeats, with a jump that stays in the round. Only
// the jump makes a difference, and not beyond the round.
kernel void blocks(global int *data, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; i++) {
    do {  //~ tangles: loop-body
      if (data[t] == 0)
        break;
      if (data[t] == 1)
        goto step;
      data[t] += sub_group_reduce_add(1);  //~ tangles: sequence //~ defined
    } while (0);
    data[t] += sub_group_reduce_add(2);  //~ tangles: sequence //~ defined
  step:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined //~ rejoins: 16
    data[t] += sub_group_reduce_add(3);  //~ warning[implementation-defined-convergence]@16: goto step
  }
  data[t] += sub_group_reduce_add(4);  //~ tangles: function-body //~ defined
}
