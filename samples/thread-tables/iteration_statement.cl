// Revised text, "Iteration statement".
kernel void iteration_statement(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A1
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A2
  while (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // cond1
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L1
    if (way[n++])
      continue;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L2
    if (way[n++])
      break;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L3
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C
}
