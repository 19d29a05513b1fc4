// Reachability: a constant condition counts. The jump under `if (0)` is never executed, so it has no candidate, brings none
// to the label, and begins no new tangle after it.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (0)  //~ tangles: function-body
    goto on;  //~ unreachable
  out[t] = 1;  //~ tangles: function-body
on:  //~ tangles: function-body //~ defined
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
