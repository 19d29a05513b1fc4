// The note in the section Expressions: threads that evaluate only part of `?:`, `&&` or `||` do so convergently. An operand
// has a tangle of its own, and that is not left to the implementation.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  out[t] = (t & 1) ? sub_group_ballot(1).x : sub_group_ballot(2).x;  //~ tangles: function-body //~ defined
  if ((t & 2) && sub_group_non_uniform_any(t > 7))  //~ tangles: function-body //~ defined
    out[t] = 1;  //~ tangles: if-branch
  if ((t & 4) || sub_group_non_uniform_all(t > 7))  //~ defined
    out[t] = 2;
}
