// A goto cycle inside a loop. Both its jump and its label are in the loop, so the loop is reducible in the revision, and only
// the span is left to the implementation; in the draft of 2024 it is the other way round.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {  //~ defined
    int j = 0;  //~ defined
  again:  //~[tangles] defined //~[revised] implementation-defined
    out[t] += sub_group_ballot(1).x;  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]: sub_group_ballot
    if (++j < t)  //~[tangles] defined //~[revised] implementation-defined
      goto again;
    out[t] += sub_group_ballot(2).x;  //~[tangles] warning[implementation-defined-convergence]: sub_group_ballot //~[revised] defined
  }
  out[t] += sub_group_ballot(3).x;  //~ defined
}
