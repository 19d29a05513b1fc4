// Threads out of bounds return before the barrier. No jump brings threads together behind a label: the rest of the body
// has the single candidate of those that run on (thread-convergence, Sequential Execution). That the others are missing
// at the barrier is defined, and another question.
kernel void scale(global float *data, float by, int n, local float *tile) {
  int i = get_global_id(0);  //~ tangles: function-body
  int t = get_local_id(0);  //~ tangles: function-body
  if (i >= n)  //~ tangles: function-body
    return;  //~ tangles: if-branch
  tile[t] = data[i];  //~ tangles: sequence //~ defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  data[i] = tile[t ^ 1] * by;  //~ tangles: sequence
}
