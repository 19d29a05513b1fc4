// What clang has for NVIDIA alone, known by name: nothing declares it here.
kernel void k(global int *out) {
  int t = get_local_id(0), v = t;
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  v += __nvvm_shfl_sync_idx_i32(~0u, v, 1, 31);  //~ note[undeclared-function] //~ warning[implementation-defined-convergence]: __nvvm_shfl_sync_idx_i32
  v += __nvvm_vote_ballot_sync(~0u, v > 3);  //~ note[undeclared-function] //~ warning[implementation-defined-convergence]: __nvvm_vote_ballot_sync
  v += __nvvm_match_any_sync_i32(~0u, v);  //~ note[undeclared-function] //~ warning[implementation-defined-convergence]: __nvvm_match_any_sync_i32
  v += __nvvm_redux_sync_add(v, ~0u);  //~ note[undeclared-function] //~ warning[implementation-defined-convergence]: __nvvm_redux_sync_add
  __nvvm_bar_warp_sync(~0u);  //~ note[undeclared-function] //~ warning[implementation-defined-convergence]: __nvvm_bar_warp_sync
  __nvvm_bar_sync(0);  //~ note[undeclared-function] //~ warning[implementation-defined-convergence]: __nvvm_bar_sync
  out[t] = v;
}

kernel void results(global int *out) {
  if (__nvvm_read_ptx_sreg_ntid_x() > 64)  //~ note[undeclared-function]
    barrier(CLK_LOCAL_MEM_FENCE);
  if (__nvvm_read_ptx_sreg_ctaid_x() > 64)  //~ note[undeclared-function]
    barrier(CLK_LOCAL_MEM_FENCE);
  if (__nvvm_bar0_popc(out[get_local_id(0)]))  //~ note[undeclared-function]
    barrier(CLK_LOCAL_MEM_FENCE);
  if (__nvvm_read_ptx_sreg_laneid() > 4)  //~ note[undeclared-function]
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-subgroup-operation]
  if (__nvvm_read_ptx_sreg_tid_x() > 4)  //~ note[undeclared-function]
    __nvvm_bar0_or(1);  //~ note[undeclared-function] //~ error[divergent-barrier]: __nvvm_bar0_or
}
