// Revised text, "Jump into loop": the loop is irreducible. By the draft of 2024 the jump keeps its threads apart to the end of the function.
kernel void jump_into_loop(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A
  if (way[n++])
    goto inside_loop;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // B
  while (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // cond //~ warning[implementation-defined-convergence]
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L1 //~ warning[implementation-defined-convergence]
  inside_loop:
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L2 //~ warning[implementation-defined-convergence]
    if (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // L3 //~ warning[implementation-defined-convergence]
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L4 //~ warning[implementation-defined-convergence]
      goto outside_loop;
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L5 //~ warning[implementation-defined-convergence]
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C //~[tangles] warning[implementation-defined-convergence]
outside_loop:
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // D //~[tangles] warning[implementation-defined-convergence]
}
