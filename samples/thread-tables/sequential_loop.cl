// Revised text, "Sequential execution in a loop".
kernel void sequential_loop(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A1
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A2
  while (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // cond
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L1
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L2
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C
}
