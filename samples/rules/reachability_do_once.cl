// Reachability: the body of `do … while (0)` runs once, with the tangle of the statement; nobody comes round.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  do {  //~ tangles: function-body
    out[t] += sub_group_ballot(1).x;  //~ tangles: loop-entry //~ defined
  } while (0);
  out[t] += sub_group_ballot(2).x;  //~ tangles: function-body //~ defined
}
