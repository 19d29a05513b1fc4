// Instances of one jump in different iterations of a loop that does not contain the label are unrelated: a family. It alone
// suffices, here no thread runs into the label.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  for (int i = 0;; ++i) {
    out[t] += sub_group_ballot(1).x;  //~ defined
    if (i > t)
      goto done;
  }
done:  //~ tangles: goto-label* //~ implementation-defined
  out[t] += sub_group_ballot(2).x;  //~ tangles: goto-label* //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 12
}
