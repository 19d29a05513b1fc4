// Revised text, "Ambiguity in a Simplified CFG": threads converge for the next iteration, whichever `continue` they came by.
kernel void loop_continue(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A
  for (;;) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // B
    if (way[n++])
      continue;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C
    if (way[n++])
      continue;
    break;
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // D
}
