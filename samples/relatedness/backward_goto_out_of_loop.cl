// A backward jump from inside a loop to a label before it: its tangles differ in the iteration of a loop that does not
// contain the label. By the text they are pairwise unrelated, so the label and what follows are left to the implementation.
kernel void k(global uint *out, int n) {
  // No two policies differ: a ballot makes `out[t]` greater than any id, so no work-item jumps in an execution.
  int t = get_local_id(0);
again:  //~ implementation-defined
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  for (int i = 0; i < n; ++i) {  //~ implementation-defined
    if (out[t] + i < t)  //~ implementation-defined
      goto again;
    out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  }
  out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 14
}
