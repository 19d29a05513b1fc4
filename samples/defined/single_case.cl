// A `switch` with one label, and one with `default` alone: nothing can fall into them.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t) {
  default:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: case-label //~ defined
  }
  switch (t & 1)
  case 1:  //~ tangles: case-label //~ defined
    out[t] += sub_group_ballot(2).x;  //~ tangles: case-label //~ defined
  out[t] += sub_group_ballot(3).x;  //~ tangles: function-body //~ defined
}
