// A backward jump. The draft of 2024 has a defined cycle and a family behind it; the revision leaves the span to the
// implementation, and lets the threads reconverge behind it (docs/semantics.md §4b, 4c).
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  out[t] += sub_group_ballot(1).x;  //~ defined
again:  //~[tangles] defined //~[revised] implementation-defined
  out[t] += sub_group_ballot(2).x;  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]: sub_group_ballot
  if (++i < t)  //~[tangles] defined //~[revised] implementation-defined
    goto again;
  out[t] += sub_group_ballot(3).x;  //~[tangles] warning[implementation-defined-convergence]: sub_group_ballot //~[revised] defined
}
