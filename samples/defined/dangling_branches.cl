// Bodies without braces, empty statements, an `else` that belongs to the inner `if`. Silent.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  if (t & 1)
    if (t & 2)  //~ tangles: if-branch
      out[t] = sub_group_ballot(1).x;  //~ tangles: if-branch //~ defined
    else
      out[t] = sub_group_ballot(2).x;  //~ tangles: if-branch //~ defined
  while (n-- > t)
    ;  //~ tangles: loop-body
  for (; n < t; ++n)
    if (n & 1)  //~ tangles: loop-body
      out[t] += sub_group_ballot(3).x;  //~ tangles: if-branch //~ defined
  out[t] += sub_group_ballot(4).x;  //~ tangles: function-body //~ defined
}
