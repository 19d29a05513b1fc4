// The search in nested loops without `goto`: a flag ends the outer loop, and the threads are together behind it.
kernel void find(global const int *grid, global int *where, int n, int key) {
  int t = get_local_id(0), at = -1;
  bool found = false;
  for (int y = 0; y < n && !found; y++) {
    for (int x = 0; x < n; x++) {
      if (grid[(y * n + x) ^ t] != key)
        continue;
      at = y * n + x;
      found = true;
      break;
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
  }
  where[t] = sub_group_reduce_max(at);  //~ tangles: function-body //~ defined
}
