// A loop inside the span of a backward jump: reducible and, in the draft of 2024, defined. In the revision the loop is a
// statement of the span, so its body inherits the doubt.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0), i = 0;
again:  //~[tangles] defined //~[revised] implementation-defined
  for (int j = 0; j < n; ++j) {  //~[tangles] defined //~[revised] implementation-defined
    out[t] += sub_group_ballot(1).x;  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]: sub_group_ballot
  }
  if (++i < t)  //~[tangles] defined //~[revised] implementation-defined
    goto again;
}
