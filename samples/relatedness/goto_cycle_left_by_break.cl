// A goto cycle that threads leave by the `break` of a loop around it: they rejoin at the end of that loop, no family there.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  for (;;) {  //~ tangles: function-body
  again:  //~ defined
    out[t] += sub_group_ballot(1).x;  //~ defined
    if (i > t)  //~ defined
      break;
    ++i;  //~ defined
    goto again;
  }
  out[t] += sub_group_ballot(2).x;  //~ tangles: function-body //~ defined
}
