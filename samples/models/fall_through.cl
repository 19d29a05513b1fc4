// Fall-through. The draft of 2024 keeps the labels apart; in the revision they reconverge at the label (docs/semantics.md §4c).
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 3) {
  case 0:  //~ defined
    out[t] = 1;  //~ defined
  case 1:  //~[tangles] implementation-defined //~[revised] defined
    out[t] += sub_group_ballot(1).x;  //~[tangles] warning[implementation-defined-convergence]: sub_group_ballot //~[revised] defined
  }
}
