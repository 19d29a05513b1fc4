// The first example of the Introduction: the operation is executed by exactly those threads for which the condition
// holds. One branch, one tangle, nothing left to the implementation.
kernel void example_kernel(global uint *out) {
  int t = get_local_id(0);  //~ tangles: function-body
  if (t & 1)  //~ tangles: function-body //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: if-branch //~ defined
  out[t] += 1;  //~ tangles: function-body //~ defined
}
