// Add up an array of any length: one atomic addition for each sub-group.
kernel void total(global const int *in, global atomic_int *sum, int n) {
  int i = get_global_id(0);
  if (i < n) {
    int part = sub_group_reduce_add(in[i]);
    if (get_sub_group_local_id() == 0)
      atomic_fetch_add(sum, part);
  }
}
