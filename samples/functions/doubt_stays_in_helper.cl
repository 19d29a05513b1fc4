// The doubt is in the helper and ends with its body: what the caller does behind the call is not concerned
// (thread-convergence, Function body: the body is a compound statement of its own).
static int pick(global const int *data, int t) {
  int value = data[t];
  if (value < 0)
    goto negative;
  return sub_group_reduce_max(value);  //~ defined
negative:  //~ tangles: goto-label //~ defined
  if (value < -9)
    goto very;  //~ tangles: if-branch
  value = -value;  //~ tangles: sequence
very:  //~ tangles: sequence, goto-label //~ implementation-defined
  return sub_group_reduce_min(value);  //~ warning[implementation-defined-convergence]@10: goto very
}

kernel void k(global const int *data, global int *out) {
  int t = get_local_id(0);
  out[t] = pick(data, t);  //~ tangles: function-body //~ defined
  out[t] += pick(data, t ^ 1);  //~ tangles: function-body //~ defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: function-body //~ defined
}
