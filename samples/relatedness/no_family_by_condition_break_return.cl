// A loop left by its condition, by `break` and by `return` leaves no family, however different the iterations.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  for (int i = 0; i < t; ++i) {  //~ tangles: function-body
    if (i == 5)
      break;
    if (t == i + 7)
      return;
  }
  out[t] += sub_group_ballot(2).x;  //~ tangles: sequence //~ defined
}
