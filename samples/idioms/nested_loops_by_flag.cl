// The same search with a flag instead of the `goto`: defined.
kernel void k(global const int *in, global uint *out, int n) {
  int t = get_local_id(0), found = -1;
  for (int i = 0; i < n && found < 0; ++i)
    for (int j = 0; j < n; ++j)
      if (in[i * n + j] == t) {
        found = i;
        break;
      }
  out[t] = sub_group_ballot(found >= 0).x;  //~ tangles: function-body //~ defined
}
