// Nobody runs past the outer loop: only the jump leaves it, once for each round. A single candidate, and yet
// implementation-defined, because it is a family (docs/semantics.md §3.2).
kernel void wait_for(global const int *flags, global int *out, int n) {
  int t = get_local_id(0);
  for (int round = 0;; round++) {
    for (int i = 0; i < n; i++)
      if (flags[i] == t)
        goto found;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  }
  out[t] = 0;  //~ unreachable
found:  //~ tangles: goto-label*[forward] //~ implementation-defined //~ rejoins: 14
  out[t] = sub_group_reduce_add(1);  //~ warning[implementation-defined-convergence]@12: sub_group_reduce_add
}
