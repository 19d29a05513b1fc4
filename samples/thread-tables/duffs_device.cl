// Revised text, "Duff's device": the `switch` jumps into the loop. By the draft of 2024 the cases stay apart to the end of the `switch`.
kernel void duffs_device(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A
  switch (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // S
  case 1:
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C1
    while (way[n++]) {
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L //~ warning[implementation-defined-convergence]
  case 2:
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // LC2 //~ warning[implementation-defined-convergence]
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C2 //~[tangles] warning[implementation-defined-convergence]
    break;
  case 3:
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C3
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // D
}
