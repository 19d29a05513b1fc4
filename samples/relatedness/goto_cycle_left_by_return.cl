// A goto cycle that threads leave by `return` only: nobody runs on behind the jump, so there is nothing to doubt.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
again:  //~ defined
  out[t] += sub_group_ballot(1).x;  //~ defined
  if (i > t)  //~ defined
    return;
  ++i;  //~ tangles: sequence //~ defined
  goto again;
  out[t] += sub_group_ballot(2).x;  //~ unreachable
}
