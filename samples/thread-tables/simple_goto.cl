// Revised text, "Simple goto": a jump forward that enters no loop. By the draft of 2024 it keeps its threads apart to the end of the body.
kernel void simple_goto(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A
  while (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // cond
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L1
    if (way[n++]) {
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // G
      goto label_X;
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L2
  label_X:
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // X //~[tangles] warning[implementation-defined-convergence]
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L3 //~[tangles] warning[implementation-defined-convergence]
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // B
}
