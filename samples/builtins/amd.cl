// What clang has for AMD alone, known by name: its types are not checked.
kernel void k(global int *out, local int *counter) {
  int t = get_local_id(0), v = t;
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  v += __builtin_amdgcn_ds_bpermute(t, v);  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_ds_bpermute
  v += __builtin_amdgcn_ds_permute(t, v);  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_ds_permute
  v += __builtin_amdgcn_ds_swizzle(v, 1);  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_ds_swizzle
  v += __builtin_amdgcn_mov_dpp(v, 0x101, 15, 15, false);  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_mov_dpp
  v += __builtin_amdgcn_update_dpp(v, t, 0x101, 15, 15, false);  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_update_dpp
  v += __builtin_amdgcn_readlane(v, 3);  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_readlane
  v += __builtin_amdgcn_readfirstlane(v);  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_readfirstlane
  v += (int)__builtin_amdgcn_ballot_w64(v > 3);  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_ballot_w64
  v += __builtin_amdgcn_ds_append(counter);  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_ds_append
  __builtin_amdgcn_wave_barrier();  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_wave_barrier
  __builtin_amdgcn_s_barrier();  //~ warning[implementation-defined-convergence]: __builtin_amdgcn_s_barrier
  // Not convergent.
  v += __builtin_amdgcn_mbcnt_lo(~0u, 0u);
  v += __builtin_amdgcn_wavefrontsize();
  out[t] = v;
}

kernel void results(global int *out, local int *counter) {
  int t = get_local_id(0);
  // The same in the work-group.
  if (__builtin_amdgcn_workgroup_size_x() > 64)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (__builtin_amdgcn_grid_size_x() > 64)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (__builtin_amdgcn_wavefrontsize() == 64)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (__builtin_amdgcn_workgroup_id_x() > 2)
    barrier(CLK_LOCAL_MEM_FENCE);
  // The same in each sub-group, and no further.
  if (__builtin_amdgcn_readfirstlane(t) > 64)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: __builtin_amdgcn_readfirstlane
  if (__builtin_amdgcn_readlane(t, 1) > 64)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (__builtin_amdgcn_ballot_w64(t > 3) == 0)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  // Another one in each lane.
  if (__builtin_amdgcn_ds_bpermute(t, t) > 64)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-subgroup-operation]
  if (__builtin_amdgcn_mbcnt_lo(~0u, 0u) > 7)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-subgroup-operation]
  if (__builtin_amdgcn_mov_dpp(t, 0x101, 15, 15, false))
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-subgroup-operation]
  if (__builtin_amdgcn_workitem_id_x())
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: __builtin_amdgcn_workitem_id_x
  if (t == 0)
    __builtin_amdgcn_s_barrier();  //~ error[divergent-barrier]: __builtin_amdgcn_s_barrier
}
