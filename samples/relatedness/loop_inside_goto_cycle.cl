// A loop inside the span of a goto cycle: both cycles contain the operation, so all its executions are related.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0), i = 0;
again:  //~ defined
  for (int j = 0; j < n; ++j) {  //~ defined
    out[t] += sub_group_ballot(1).x;  //~ tangles: loop-body //~ defined
  }
  if (++i < t)  //~ defined
    goto again;
}
