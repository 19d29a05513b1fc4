// Operations in the condition and in the step of a `for`. Each runs with the tangle of its round, as in the equivalent
// `while` (thread-convergence, Iteration Statement); `continue` goes to the step and joins there.
kernel void steps(global int *data, local int *tile, int n) {  // No execution shows it: local memory is undefined until it is written
  int t = get_local_id(0);
  for (int i = 0; sub_group_any(i < n); i++, barrier(CLK_LOCAL_MEM_FENCE)) {  //~ tangles: function-body //~ defined
    if (tile[i ^ t] == 0)  //~ tangles: loop-body
      continue;
    tile[t] += sub_group_reduce_add(i);  //~ tangles: sequence //~ defined
  }
  do {
    tile[t]--;
  } while (work_group_barrier(CLK_LOCAL_MEM_FENCE), tile[t] > 0);
  data[t] = tile[t];  //~ defined
}
