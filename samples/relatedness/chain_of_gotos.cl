// A jump to a label from which all jump on: one candidate for each `goto`, whatever tangles the `goto` itself ran with.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto a;
  out[t] = 1;  //~ tangles: sequence //~ defined
  goto c;
a:  //~ tangles: goto-label //~ defined
  out[t] = sub_group_ballot(1).x;  //~ tangles: goto-label //~ defined
c:  //~ tangles: goto-label, goto-label //~ implementation-defined
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
