// A label to which no `goto` leads changes nothing.
kernel void k(global uint *out) {
  int t = get_local_id(0);
here:  //~ tangles: function-body //~ defined
  out[t] = sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
