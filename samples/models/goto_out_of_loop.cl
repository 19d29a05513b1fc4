// A jump out of a loop: a family in the draft of 2024, an exit that reconverges in the revision (docs/semantics.md §4e).
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {  //~ defined
    if (t == i)  //~ defined
      goto done;
    out[t] += sub_group_ballot(1).x;  //~ defined
  }
  out[t] += sub_group_ballot(2).x;  //~ defined
done:  //~[tangles] implementation-defined //~[revised] defined
  out[t] += sub_group_ballot(3).x;  //~[tangles] warning[implementation-defined-convergence]: sub_group_ballot //~[revised] defined
}
