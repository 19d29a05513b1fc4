// Reachability: after both sides of an `if` have left, only a label makes the rest reachable, and it is reached by jumps
// alone: two of them, so two candidates.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1) {
    out[t] = 1;
    goto on;
  } else if (t & 2) {
    return;
  } else {
    goto on;
  }
  out[t] = sub_group_ballot(1).x;  //~ unreachable
on:  //~ tangles: goto-label, goto-label //~ implementation-defined
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
