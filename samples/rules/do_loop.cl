// Section Iteration Statement: the body of a `do` runs first with the tangle of the statement (loop-entry), then with that of
// the threads for which the condition holds (loop-body). The two are related.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  do {  //~ tangles: function-body //~ defined
    out[t] += sub_group_ballot(1).x;  //~ tangles: loop-entry, loop-body //~ defined
    ++i;  //~ tangles: loop-entry, loop-body
  } while (sub_group_non_uniform_any(i < t));
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
