// Section Divergent Jumps: a `goto` that jumps to a point between a backward `goto` and its label makes that cycle
// irreducible. The second entry is unrelated to the first, and both go round: all of the span is left to the implementation.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0), i = 0;
  if (t & 1)
    goto middle;
again:  //~ implementation-defined
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
middle:  //~ implementation-defined
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  if (++i < t)  //~ implementation-defined
    goto again;
  out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
