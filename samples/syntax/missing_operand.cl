// An operator without its operand.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  out[t] = t + ;  //~ error[syntax-error]
  out[t] += sub_group_ballot(1).x;  //~ defined
}
