// Rules loop-entry, loop-body, next-iteration: the condition of a `while` runs first with the tangle of the statement, then
// with that of the threads that come round. The later derives from the earlier, so they are related.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  while (sub_group_non_uniform_any(i < t)) {  //~ tangles: function-body //~ defined
    out[t] += sub_group_ballot(1).x;  //~ tangles: loop-body //~ defined
    ++i;  //~ tangles: loop-body
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
