// Each loop with an operation has a heart of its own, whose parent is that of the loop around it; a loop without one needs none.
kernel void nested(global int *out, int n, int m) {  //~ convergent
  for (int i = 0; i < n; i++) {
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: loop@3
    for (int j = 0; j < m; j++)
      sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: loop@5
    do out[m] = sub_group_any(m);  //~ token: loop@7
    while (m--);
    for (int j = 0; j < m; j++)
      out[j] = j;
  }
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: entry
}
