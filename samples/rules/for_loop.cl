// Section Iteration Statement: `for` is taken as the `while` it stands for. Operations in its first part, its condition and
// its step are all defined; a `continue` reconverges before the step.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (uint i = sub_group_ballot(1).x; sub_group_non_uniform_any(i < t); i += sub_group_ballot(2).x) {  //~ tangles: function-body //~ defined
    if (i & 1)  //~ tangles: loop-body
      continue;  //~ tangles: if-branch
    out[t] += sub_group_ballot(3).x;  //~ tangles: sequence //~ defined
  }
  out[t] += sub_group_ballot(4).x;  //~ tangles: function-body //~ defined
}
