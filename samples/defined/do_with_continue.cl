// A `continue` in a `do` loop goes to the condition; the threads reconverge there. Silent.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  do {
    ++i;
    if (i & t)
      continue;
    out[t] += sub_group_ballot(1).x;  //~ defined
  } while (sub_group_non_uniform_any(i < t));
  out[t] += sub_group_ballot(2).x;  //~ tangles: function-body //~ defined
}
