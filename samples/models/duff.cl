// Duff's device: the `switch` jumps into the loop, so the loop is irreducible under both models. Behind it, but inside the
// `switch`, only the draft of 2024 still keeps the cases apart.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  switch (t & 1) {  //~ defined
  case 0:
    do {
      out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
    case 1:  //~ implementation-defined
      out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
    } while (--n > 0);
    out[t] += sub_group_ballot(3).x;  //~[tangles] warning[implementation-defined-convergence]: sub_group_ballot //~[revised] defined
  }
  out[t] += sub_group_ballot(4).x;  //~ defined
}
