// "Extended Cycles: Divergent Exit from a Loop": what stands before the `break` belongs to the loop of the source, and keeps the token of its
// heart, though its block has left the cycle of the graph.
kernel void example(global int *out, int n) {  //~ convergent
  int id = get_local_id(0);
  for (int i = 0;
       i < n; i++) {
    if (i == id) {
      sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: loop@6
      break;
    }
    out[i] = id;
  }
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: entry
}

kernel void by_return(global int *out, int n) {  //~ convergent
  int id = get_local_id(0);
  while (n--) {
    if (n == id) {
      sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: loop@18
      return;
    }
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: loop@18
  }
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: entry
}

// The jump out of two loops leaves from the inner one.
kernel void by_goto(global int *out, int n, int m) {  //~ convergent
  int id = get_local_id(0);
  while (n--) {
    while (m--) {
      if (m == id) {
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: loop@32
        goto found;
      }
    }
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: loop@31
  }
found:
  out[id] = n;
}
