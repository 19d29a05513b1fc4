// To ask for an id or a size is not to communicate.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  out[t] += get_global_id(0) + get_local_size(0) + get_group_id(0) + get_num_groups(0);  //~ implementation-defined
  out[t] += get_sub_group_id() + get_sub_group_size() + get_sub_group_local_id() + get_num_sub_groups();
  out[t] += get_max_sub_group_size();
}
