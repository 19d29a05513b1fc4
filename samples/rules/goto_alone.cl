// Rule goto-label: if all threads come by the one jump, there is one candidate, and nothing to doubt.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  goto on;  //~ tangles: function-body
  out[t] = 1;  //~ unreachable
on:  //~ tangles: goto-label[forward] //~ defined
  out[t] += sub_group_ballot(1).x;  //~ tangles: goto-label //~ defined
}
