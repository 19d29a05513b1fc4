// A goto cycle that is the whole body of a loop: the family has no statement to show in, and nothing is reported.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {
    int j = 0;
  again:  //~ defined
    out[t] += sub_group_ballot(1).x;  //~ defined
    if (++j < t)  //~ defined
      goto again;
  }
  out[t] += sub_group_ballot(3).x;  //~ tangles: function-body //~ defined
}
