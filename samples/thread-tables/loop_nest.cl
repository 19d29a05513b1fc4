// Revised text, "Ambiguity in a Simplified CFG": what one thread does is what it does in `loop_continue`, but threads converge behind the inner loop.
kernel void loop_nest(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A
  do {
    do {
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // B
    } while (way[n++]);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // C
  } while (way[n++]);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // D
}
