// All kinds of barriers are convergent.
kernel void k(global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: work_group_barrier
  work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);  //~ warning[implementation-defined-convergence]: work_group_barrier
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: sub_group_barrier
}
