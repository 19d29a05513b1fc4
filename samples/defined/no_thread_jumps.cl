// A jump behind a `return` is never executed.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  if (t & 1) {
    return;
    goto on;  //~ unreachable
  }
  out[t] = 1;  //~ tangles: sequence //~ defined
on:  //~ tangles: sequence //~ defined
  out[t] += sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
}
