// A `continue` inside a `switch` inside a loop leaves both; the threads reconverge at the end of the iteration.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {
    switch ((t + i) & 3) {  //~ tangles: loop-body //~ defined
    case 0:
      continue;
    case 1:  //~ tangles: case-label //~ defined
      out[t] += sub_group_ballot(1).x;  //~ defined
      break;
    }
    out[t] += sub_group_ballot(2).x;  //~ tangles: sequence //~ defined
  }
  out[t] += sub_group_ballot(3).x;  //~ tangles: function-body //~ defined
}
