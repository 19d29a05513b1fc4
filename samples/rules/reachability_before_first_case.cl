// Reachability: what stands in a `switch` before its first label is executed by nobody.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 1) {
    out[t] = sub_group_ballot(1).x;  //~ unreachable
  case 0:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(2).x;  //~ tangles: case-label //~ defined
  }
}
