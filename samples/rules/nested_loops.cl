// Rule loop-body: a loop in a loop, each body with one tangle whatever the iterations of both.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < t; ++i) {  //~ tangles: function-body
    while (n-- > i) {  //~ tangles: loop-body
      out[t] += sub_group_ballot(1).x;  //~ tangles: loop-body //~ defined
    }
    out[t] += sub_group_ballot(1).x;  //~ tangles: loop-body //~ defined
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
