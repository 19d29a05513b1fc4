// A loop left by its condition, by `break` from two depths, by `continue` and by `return`. Silent.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  while (n > t) {
    --n;
    if (t == 1)
      continue;
    if (t == 2) {
      if (n == 3)
        break;
      out[t] += sub_group_ballot(1).x;  //~ defined
    } else if (t == 4) {
      return;
    }
    out[t] += sub_group_ballot(2).x;  //~ defined
  }
  out[t] += sub_group_ballot(3).x;  //~ tangles: sequence //~ defined
}
