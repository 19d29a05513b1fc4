// A jump out of two loops. Each round leaves its own threads behind in the draft of 2024; the revision lets them
// reconverge at the label (docs/semantics.md §4e). In the loops nothing is in doubt under either.
kernel void k(global const int *in, global int *out, int n) {
  int t = get_local_id(0), where = -1;
  for (int y = 0; y < n; y++) {
    for (int x = 0; x < n; x++) {
      where = x + sub_group_any(in[y ^ t] == x);  //~ defined
      if (in[x ^ t] == y)
        goto found;
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  }
  where = -1;
found:  //~[tangles] implementation-defined //~[revised] defined
  out[t] = sub_group_reduce_max(where);  //~[tangles] warning[implementation-defined-convergence]@12: goto found //~[revised] defined
}
