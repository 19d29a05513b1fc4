// A forward jump that enters no loop. The draft of 2024 keeps the threads apart; the revision lets them reconverge at the
// label (docs/semantics.md §4c).
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~[tangles] implementation-defined //~[revised] defined
  out[t] += sub_group_ballot(1).x;  //~[tangles] warning[implementation-defined-convergence]: sub_group_ballot //~[revised] defined
}
