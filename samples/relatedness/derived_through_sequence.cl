// A jump back into a statement before it. At the statement between label and jump, the second tangle derives from the
// first one through `sequence`: every thread of the second was in the first. At the label and behind the jump it does not.
kernel void into_a_branch(global const int *w, global uint *out) {
  int n = get_local_id(0), t = n;
  if (w[n++]) {
  again:  //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  }
  out[t] += sub_group_ballot(2).x;  //~ defined //~ tangles: function-body, goto-label
  if (w[n++])  //~ defined
    goto again;
  out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
kernel void into_a_loop(global const int *w, global uint *out) {
  int n = get_local_id(0), t = n;
  do {
  again:  //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  } while (w[n++]);
  out[t] += sub_group_ballot(2).x;  //~ defined
  if (w[n++])
    goto again;
  out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
// Threads that return between are lost to both.
kernel void early_exits_between(global const int *w, global uint *out) {
  // No two policies differ: the second operation is defined, and executed between the two tangles of the first one.
  int n = get_local_id(0), t = n;
  if (w[n++])
    return;
  if (w[n++]) {
  again:  //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  }
  out[t] += sub_group_ballot(2).x;  //~ defined //~ tangles: sequence, goto-label
  if (w[n++])
    return;
  if (w[n++])
    goto again;
}
// In a branch between label and jump, neither derives from the other: the jump derives from the statement before it.
kernel void a_branch_between(global const int *w, global uint *out) {
  // No two policies differ: the tangles are in different rounds of the goto cycle.
  int n = get_local_id(0), t = n;
  if (w[n++]) {
  again:
    n++;
  }
  if (w[n++])
    out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  if (w[n++])
    goto again;
}
// Two jumps back: their tangles are siblings, both derived from the first one.
kernel void two_jumps_back(global const int *w, global uint *out) {
  // No two policies differ: the tangles are in different rounds of the goto cycles.
  int n = get_local_id(0), t = n;
  if (w[n++]) {
  again:
    n++;
  }
  if (w[n++]) {
  other:
    n++;
  }
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  if (w[n++])
    goto again;
  if (w[n++])
    goto other;
}
// A jump past the statement: what it brings to the jump back was not in the first tangle there.
kernel void a_jump_past_it(global const int *w, global uint *out) {
  int n = get_local_id(0), t = n;
  if (w[n++])
    goto past;
  if (w[n++]) {
  again:
    n++;
  }
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
past:
  if (w[n++])
    goto again;
}
// A goto cycle around the statement that the jump back is behind: a thread may be in its next iteration, or have left it.
kernel void behind_another_cycle(global const int *w, global uint *out) {
  // No two policies differ: the tangles are in different rounds of the goto cycles.
  int n = get_local_id(0), t = n;
retry:
  if (w[n++]) {
  again:
    n++;
  }
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  if (w[n++])
    goto retry;
  if (w[n++])
    goto again;
}
