// The reduction by sub-group built-ins: no loop, one barrier, silent.
kernel void k(global const float *in, global float *out, local float *x) {
  float sum = sub_group_reduce_add(in[get_global_id(0)]);
  if (get_sub_group_local_id() == 0)
    x[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  if (get_sub_group_id() == 0) {
    float part = get_sub_group_local_id() < get_num_sub_groups() ? x[get_sub_group_local_id()] : 0.0f;
    out[get_group_id(0)] = sub_group_reduce_add(part);  //~ tangles: if-branch //~ defined
  }
}
