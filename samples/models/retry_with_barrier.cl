// A retry loop made by a backward jump. In the draft of 2024 the span is defined and what follows is a family; in the
// revision it is the other way round (docs/semantics.md §3.2 and 4b).
kernel void k(global int *data, local int *tile) {
  int t = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
retry:  //~[tangles] defined //~[revised] implementation-defined
  tile[t] = data[t]--;  //~[tangles] defined //~[revised] implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]@3: barrier
  if (tile[t ^ 1] > 0) {  //~[tangles] defined //~[revised] implementation-defined
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]@5: sub_group_barrier
    goto retry;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~[tangles] warning[implementation-defined-convergence]@3: barrier //~[revised] defined
}
