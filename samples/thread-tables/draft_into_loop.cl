// Draft of 2024, the third of its examples: a jump into a loop.
kernel void draft_into_loop(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S1
  if (way[n++]) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S2
    goto Target2;
  }
  for (; sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++];) {  // S3 //~ warning[implementation-defined-convergence]
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L //~ warning[implementation-defined-convergence]
  Target2:
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // T //~ warning[implementation-defined-convergence]
  }
}
