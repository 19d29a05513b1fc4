// Draft of 2024, the first of its examples.
kernel void draft_sequence(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S1
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S2
  if (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // S3
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // X1
    return;
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S4
}
