// A jump from the then-side into the else-side, to share its tail. The threads meet at the label and are one again behind
// the `if` (thread-convergence, second example; Divergent Jumps: smallest statement with jump and label).
kernel void share_tail(global int *data) {
  int t = get_local_id(0);
  if (data[t] > 0) {  //~ tangles: function-body
    data[t] -= 1;  //~ tangles: if-branch
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ defined
    goto tail;
  } else {
    data[t] += sub_group_reduce_add(1);  //~ tangles: if-branch //~ defined
  tail:  //~ tangles: if-branch, goto-label //~ implementation-defined //~ rejoins: 13
    data[t] += sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]@16: goto tail
  }
  data[t] += sub_group_reduce_add(3);  //~ tangles: function-body //~ defined
}
