// Pattern of interest: a `goto` that jumps backwards. What comes round derives from the label's own tangle, so the span
// stays defined. But threads leave this cycle in different iterations and do not rejoin before the end of the smallest
// statement that holds label and jump: what follows is left to the implementation.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0), i = 0;
again:  //~ defined
  out[t] += sub_group_ballot(1).x;  //~ defined
  ++i;  //~ defined
  if (i < t)  //~ defined
    goto again;  //~ defined
  out[t] += sub_group_ballot(1).x;  //~ tangles: sequence* //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 12
}
