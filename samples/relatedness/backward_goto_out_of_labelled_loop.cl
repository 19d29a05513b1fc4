// The same with the loop under the label: the labelled statement holds both, so what follows the loop is one tangle.
kernel void k(global uint *out, int n) {
  // No two policies differ: a ballot makes `out[t]` greater than any id, so no work-item jumps in an execution.
  int t = get_local_id(0);
again:  //~ implementation-defined
  for (int i = 0; i < n; ++i) {  //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 10
    if (out[t] + i < t)
      goto again;
  }
  out[t] += sub_group_ballot(2).x;  //~ tangles: function-body //~ defined
}
