// `goto` out of two nested loops, the usual excuse for `goto`. Threads that found something in different rounds are a
// family at the label (thread-convergence, last example; docs/semantics.md §3.2). The barrier before the label is not affected.
kernel void find(global const int *grid, global int *where, int n, int key) {
  int t = get_local_id(0);
  int x, y;
  for (y = 0; y < n; y++)  //~ tangles: function-body
    for (x = 0; x < n; x++) {
      if (grid[(y * n + x) ^ t] == key)  //~ defined
        goto found;
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    }
  x = y = -1;  //~ tangles: sequence
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: sequence //~ defined
found:  //~ tangles: sequence, goto-label*[forward] //~ implementation-defined //~ rejoins: 17
  where[t] = sub_group_broadcast(x, 0);  //~ warning[implementation-defined-convergence]@14: goto found
  where[t] += y;
}
