// A `case` in the middle of an `if`, without a loop: the threads of the condition meet those of the label, up to the end of
// the `switch` and not only of the `if` (thread-convergence, Divergent Jumps).
kernel void mixed(global int *data, int n) {
  int t = get_local_id(0);
  switch (data[t]) {
  case 0:  //~ tangles: case-label //~ defined
    if (data[t ^ 1] < n) {
      data[t] = sub_group_reduce_add(1);  //~ tangles: if-branch //~ defined
  case 1 ... 3:  //~ tangles: if-branch, case-label //~ implementation-defined //~ rejoins: 15
      data[t] = sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]@17: sub_group_reduce_add
    } else {
      data[t] = sub_group_reduce_add(3);  //~ tangles: if-branch //~ defined
    }
    data[t] = sub_group_reduce_add(4);  //~ tangles: case-label, case-label //~ warning[implementation-defined-convergence]@15: sub_group_reduce_add
  }
  data[t] = sub_group_reduce_add(5);  //~ tangles: function-body //~ defined
}
