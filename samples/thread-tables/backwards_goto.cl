// Revised text, "Backwards goto": the cycle of "Jump into loop", made by a jump.
kernel void backwards_goto(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A
  if (way[n++])
    goto inside_loop;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // B
loop:
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L1 //~ warning[implementation-defined-convergence]
inside_loop:
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L2 //~ warning[implementation-defined-convergence]
  if (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // L3 //~ warning[implementation-defined-convergence]
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L4 //~ warning[implementation-defined-convergence]
    goto outside_loop;
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L5 //~ warning[implementation-defined-convergence]
  if (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++])  // L6 //~ warning[implementation-defined-convergence]
    goto loop;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C //~[tangles] warning[implementation-defined-convergence]
outside_loop:
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // D //~[tangles] warning[implementation-defined-convergence]
}
