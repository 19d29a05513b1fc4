// A branch in an irreducible loop: the branch adds no doubt, but the set of threads that come to it is left to the
// implementation, and with it the set in its body (docs/semantics.md §4d, "inherited").
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  if (t & 1)
    goto inside;
  while (n-- > 0) {
    out[t] += 1;  //~ implementation-defined
  inside:  //~ implementation-defined
    if (t & 2) {  //~ implementation-defined
      out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
    }
    for (int i = 0; i < 4; ++i)  //~ implementation-defined
      out[t] += sub_group_ballot(4).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  }
}
