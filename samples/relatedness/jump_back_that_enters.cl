// A backward `goto` that no thread reaches from its label is no next iteration: it is the way in.
kernel void k(global const int *w, global uint *out) {
  int n = get_local_id(0), t = n;
  goto start;
again:  //~ tangles: goto-label //~ defined
  out[t] += sub_group_ballot(1).x;  //~ defined
  if (w[n++])
    goto again;
  return;
start:
  goto again;
}
// The same by a branch: one side in sequence, one by the jump.
kernel void from_the_other_side(global const int *w, global uint *out) {
  int t = get_local_id(0);
  if (w[t]) {
  side:  //~ tangles: if-branch, goto-label //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  } else
    goto side;
}
