// Draft of 2024, the fourth of its examples: jumps out of a loop in different iterations.
kernel void draft_out_of_loop(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S1
  for (; sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++];) {  // cond
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L1
    if (way[n++]) {
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // G
      goto Target1;
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L2
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S2
Target1:
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // T //~[tangles] warning[implementation-defined-convergence]
}
