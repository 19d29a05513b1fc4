// A `switch` in a `switch`, every label closed by `break` or `return`. Silent.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 3) {
  case 0:
    switch (t & 12) {
    case 4:
      out[t] = sub_group_ballot(1).x;  //~ tangles: case-label //~ defined
      break;
    case 8:
      return;
    default:
      out[t] = sub_group_ballot(2).x;  //~ tangles: case-label //~ defined
      break;
    }
    out[t] += sub_group_ballot(3).x;  //~ defined
    break;
  case 1: {
    out[t] = sub_group_ballot(4).x;  //~ tangles: case-label //~ defined
  } break;
  default:
    break;
  }
  out[t] += sub_group_ballot(5).x;  //~ tangles: sequence //~ defined
}
