// Two parts of a work-group do different work, and meet at a barrier behind the `if`.
kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  if (get_sub_group_id() == 0) {
    x[get_sub_group_local_id()] = sub_group_scan_inclusive_add(t);  //~ tangles: if-branch //~ defined
  } else {
    out[t] = sub_group_reduce_max(t);  //~ tangles: if-branch //~ defined
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  out[t] += x[0];
}
