// First example of the section Examples: S4 is the complement of X1. Some threads leave the `if` by `return`, so what
// follows runs with a new tangle, but with one tangle only.
kernel void foo(global uint *out) {
  int t = get_local_id(0);  //~ tangles: function-body
  out[t] = 1;  //~ tangles: function-body
  if (t & 1) {  //~ tangles: function-body
    out[t] = sub_group_ballot(1).x;  //~ tangles: if-branch //~ defined
    return;  //~ tangles: if-branch
  }
  out[t] = sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
}
