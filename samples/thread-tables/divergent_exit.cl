// Revised text, "Divergent Loop Exits": an operation before a `break` belongs to its iteration.
kernel void divergent_exit(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A
  for (int i = 0; i < 8; ++i) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // B
    if (way[n++]) {
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C
      break;
    }
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // D
}
