// Take the difference to the next lane. All lanes shuffle; the last one does not use the value.
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable

kernel void differences(global const float *in, global float *out) {
  int i = get_global_id(0);
  uint lane = get_sub_group_local_id();
  float x = in[i];

  float next = sub_group_shuffle_down(x, 1);
  if (lane + 1 < get_sub_group_size())
    out[i] = next - x;
}
