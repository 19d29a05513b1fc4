// Revised text, "The noconvergent Statement": who begins it together is open, the usual rules hold inside of it.
kernel void noconvergent(global const int *way) {
  int n = 16 * get_local_id(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // A
  __attribute__((noconvergent)) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S1
    if (way[n++]) {
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S2
    }
    while (sub_group_barrier(CLK_LOCAL_MEM_FENCE), way[n++]) {  // cond
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S3
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // S4
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // B
}
