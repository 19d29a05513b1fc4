// A state machine: a `switch` in a loop, each state closed by `break`, the last by `return`. No fall-through, no doubt.
kernel void k(global uint *out) {
  int t = get_local_id(0), state = t & 1;
  for (;;) {
    switch (state) {
    case 0:  //~ tangles: case-label //~ defined
      out[t] = sub_group_ballot(1).x;  //~ tangles: case-label //~ defined
      state = 1;
      break;
    case 1:  //~ tangles: case-label //~ defined
      out[t] += sub_group_ballot(2).x;  //~ defined
      state = 2;
      break;
    default:  //~ tangles: case-label //~ defined
      return;
    }
  }
}
