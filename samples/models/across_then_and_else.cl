// A jump from the then-side to the else-side enters no loop: it reconverges at the label in the revision (docs/semantics.md §4c).
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1) {
    out[t] = 1;
    goto other;
  } else {
    out[t] = 2;
  other:  //~[tangles] implementation-defined //~[revised] defined
    out[t] += sub_group_ballot(1).x;  //~[tangles] warning[implementation-defined-convergence]: sub_group_ballot //~[revised] defined
  }
}
