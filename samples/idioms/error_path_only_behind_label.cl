// The main path returns before the label, so that only the jump reaches it: one candidate, nothing to meet (docs/semantics.md §2,
// an unreachable point has no candidate).
kernel void one_error(global int *data, int n) {
  int i = get_global_id(0);
  if (data[i] >= n)
    goto bad;
  data[i] = sub_group_reduce_add(data[i]);  //~ tangles: sequence //~ defined
  return;
bad:  //~ tangles: goto-label[forward] //~ defined
  data[i] = sub_group_reduce_max(data[i]);  //~ tangles: goto-label //~ defined
}
