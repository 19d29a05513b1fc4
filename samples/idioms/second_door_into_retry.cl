// A jump into the middle of a retry loop: a second entry into the span of the backward jump. Every statement of the span
// is in doubt, the label at its head included (thread-convergence, Divergent Jumps; docs/semantics.md §3.1).
kernel void resume(global int *data, int n) {
  int t = get_local_id(0);
  if (data[t] > n)
    goto warm;
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: sequence //~ defined
cold:  //~ implementation-defined
  data[t] = sub_group_reduce_add(1);  //~ warning[implementation-defined-convergence]@13
warm:  //~ implementation-defined
  data[t] = sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]@13
  if (data[t] > 0)
    goto cold;
  data[t] = sub_group_reduce_add(3);  //~ warning[implementation-defined-convergence]@13
}
