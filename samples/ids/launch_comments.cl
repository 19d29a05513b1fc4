// Sizes that a comment tells, in place of an attribute: what follows from them is the same.

// tangle: launch(local_size = 64): what the host passes
kernel void told(global int *v) {
  if (get_local_id(0) < 64) barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(1) == 0) barrier(CLK_GLOBAL_MEM_FENCE);
  v[get_global_id(0)] = 0;
}

kernel void not_told(global int *v) {
  if (get_local_id(0) < 64) barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  v[get_global_id(0)] = 0;
}

// tangle: launch(local_size = [16, 4], sub_group_size = 16)
/* of two dimensions */
__attribute__((vec_type_hint(int)))
#ifdef NOWHERE_DEFINED
__attribute__((work_group_size_hint(8, 8, 1)))
#endif
kernel void rows(global int *v) {
  if (get_local_id(1) & 1) v[get_global_id(0)] = sub_group_reduce_add(v[0]);
  if (get_local_id(0) & 1) v[get_global_id(0)] = sub_group_reduce_add(v[0]);  //~ error[divergent-subgroup-operation]
  if (get_local_id(0) < 16) barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(1) < 3) barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// The grid ends with a whole work-group, wherever `n` ends.
kernel void whole(global int *v) {  // tangle: launch(local_size = 64, global_multiple_of = 64)
  for (uint i = get_global_id(0); i < get_global_size(0); i += get_global_size(0)) barrier(CLK_GLOBAL_MEM_FENCE);
}

// An attribute goes before a comment.
// tangle: launch(local_size = 64)
//~^ warning[unused-suppression]: the attribute of the kernel gives another `local_size`
kernel __attribute__((reqd_work_group_size(128, 1, 1))) void overruled(global int *v) {
  if (get_local_id(0) < 64) barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  if (get_local_id(0) < 128) barrier(CLK_GLOBAL_MEM_FENCE);
}

// A helper has the sizes in which all kernels agree that call it.
void first_64(global int *v) {
  if (get_local_id(0) < 64) barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) < 32) barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}
// tangle: launch(local_size = 64)
kernel void by_comment(global int *v) { first_64(v); }
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void by_attribute(global int *v) { first_64(v); }
