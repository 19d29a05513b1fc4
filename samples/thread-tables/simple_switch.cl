// Revised text, "Simple switch", with a statement behind it. By the draft of 2024 who falls through stays apart to the end of the `switch`.
kernel void simple_switch(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A
  switch (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // S
  case 1:
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C1
    break;
  case 2:
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C2
  case 3:
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C3 //~[tangles] warning[implementation-defined-convergence]
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // D
}
