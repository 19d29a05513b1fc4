// args: -D __OPENCL_C_VERSION__=310
// What OpenCL C 3.1 has without an extension: six extensions of 3.0, four of them about sub-groups. Under `#else`, nothing is left of the kernels.
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_1

// cl_khr_subgroup_shuffle
kernel void shuffle(global int *p, int n) {
  int i = get_local_id(0), x = p[i];
  x = sub_group_shuffle(x, 0) + sub_group_shuffle_xor(x, 1);
  if (i < n)
    x += sub_group_shuffle(x, 0);  //~ note[divergent-subgroup-operation]: `get_local_id(0)`
  p[i] = x;
}

// cl_khr_subgroup_shuffle_relative
kernel void shuffle_relative(global int *p, int n) {
  int i = get_local_id(0), x = p[i];
  x = sub_group_shuffle_up(x, 1) + sub_group_shuffle_down(x, 1);
  if (i < n)
    x += sub_group_shuffle_down(x, 1);  //~ note[divergent-subgroup-operation]: `get_local_id(0)`
  p[i] = x;
}

// cl_khr_subgroup_rotate: `delta` is the same in the sub-group
kernel void rotate_by(global int *p, int n) {
  int i = get_local_id(0), x = p[i];
  x = sub_group_rotate(x, n) + sub_group_clustered_rotate(x, 1, 4);
  x += sub_group_rotate(x, i);  //~ error[divergent-collective-argument]: `get_local_id(0)`
  if (i < n)
    x += sub_group_rotate(x, 1);  //~ note[divergent-subgroup-operation]: `get_local_id(0)`
  p[i] = x;
}

// cl_khr_subgroup_extended_types: vectors and small integers in the collectives of sub-groups
kernel void extended_types(global char *p, global float4 *q, int n) {
  int i = get_local_id(0);
  p[i] = sub_group_reduce_add(p[i]);
  q[i] = sub_group_broadcast(q[i], 0);
  if (sub_group_broadcast(q[0], 0).x > 1)
    q[i] = sub_group_broadcast(q[i], 0);
  if (i < n)
    p[i] = sub_group_reduce_max(p[i]);  //~ error[divergent-subgroup-operation]: `get_local_id(0)`
}

// cl_khr_extended_bit_ops and cl_khr_integer_dot_product compute on one work-item's values, and are as uniform as these.
kernel void computed(global int *p, int n, uint packed) {
  int i = get_local_id(0);
  if (bit_reverse(n) > bitfield_extract_signed(n, 3, 4))
    barrier(CLK_LOCAL_MEM_FENCE);
  if (dot_4x8packed_ss_int(packed, packed) > 4)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (bitfield_insert(n, i, 3, 4) > 4)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
  if (dot((char4)(i), (char4)(n)) > 4)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

#else
#error "this is OpenCL C 3.0"
#endif
