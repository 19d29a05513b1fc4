// Revised text, "Sequential execution at a branch".
kernel void sequential_branch(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A1
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A2
  if (way[n++]) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // B1
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // B2
  } else {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // D
}
