// Each `return` starts a new sequence behind its statement; an `if` that all threads leave by running on starts none
// (thread-convergence, Sequential Execution).
kernel void clamp_all(global int *data, int n, int limit) {
  int i = get_global_id(0);
  if (i >= n)  //~ tangles: function-body
    return;
  if (data[i] > limit)  //~ tangles: sequence
    data[i] = limit;  //~ tangles: if-branch
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  if (data[i] < 0) {  //~ tangles: sequence
    data[i] = 0;  //~ tangles: if-branch
    return;
  }
  data[i] = sub_group_reduce_max(data[i]);  //~ tangles: sequence //~ defined
}
