// A jump into a loop makes the loop irreducible: under both models its substatements are left to the implementation. Behind
// the loop the draft of 2024 keeps the threads apart, the revision does not (docs/semantics.md §4a, 4c).
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  if (t & 1)
    goto inside;
  out[t] += sub_group_ballot(1).x;  //~ defined
  while (n-- > 0) {
    out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  inside:  //~ implementation-defined
    out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  }
  out[t] += sub_group_ballot(4).x;  //~[tangles] warning[implementation-defined-convergence]: sub_group_ballot //~[revised] defined
}
