// Draft of 2024, the second of its examples: a jump into the `else` of another `if`. (The text says `goto Target1`, and has `Target2` alone.)
kernel void draft_then_else(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S1
  if (way[n++]) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S2
    goto Target2;
  }
  if (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // S3
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S4
  } else {
  Target2:
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S5 //~[tangles] warning[implementation-defined-convergence]
  }
}
