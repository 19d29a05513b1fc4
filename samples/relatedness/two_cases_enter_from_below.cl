// Threads leave the span of `again` by `continue` and come back to it at two `case`s below the label. Each is an entry of its own, since
// `case 1` and `case 2` stay apart to the end of their `switch`; so the label is in doubt, although all have passed it before (docs/semantics.md §3.1).
kernel void k(global int *p, int n) {
  // No two policies differ: the sum of all work-items ends the loop before two of them come from different cases.
  int t = get_local_id(0);
  goto again;
  while (p[t] < n) {
    switch (p[t] % 3) {
      switch (n) {
      again:  //~ implementation-defined
        p[t] += sub_group_reduce_add(1);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
        continue;
      }
    case 1:  //~ defined
      p[t] = 1;  //~ defined
    case 2:  //~ implementation-defined
      goto again;  //~ implementation-defined
    }
  }
}
