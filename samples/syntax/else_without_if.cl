// An `else` without its `if`.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  else out[t] = 1;  //~ error[syntax-error]
  out[t] += sub_group_ballot(1).x;
}
