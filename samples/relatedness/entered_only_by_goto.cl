// A loop that only a `goto` enters. From the second iteration on, threads come to the label from the branch and by the
// jump of the other branch, as in a loop that is entered at its head.
kernel void entered_by_goto(global const int *w, global uint *out) {
  int n = get_local_id(0), t = n;
  goto L2;
  for (;;) {
    if (w[n++]) {
    L0:  //~ implementation-defined
      out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
      if (w[n++])
        return;
    } else {
    L2:
      n++;
      goto L0;
    }
  }
}
kernel void entered_at_the_head(global const int *w, global uint *out) {
  int n = get_local_id(0), t = n;
  for (;;) {
    if (w[n++]) {
    L0:  //~ implementation-defined
      out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
      if (w[n++])
        return;
    } else {
      n++;
      goto L0;
    }
  }
}
// Each iteration of the loop passes the label before it comes to the jump: what comes round is the next iteration of the
// goto cycle, in the loop's first iteration as in all others.
kernel void each_iteration_passes_the_label(global const int *w, global uint *out) {
  int n = get_local_id(0), t = n;
  goto middle;
  for (;;) {
  retry:
    n++;
  middle:
    if (w[n])
      out[t] += sub_group_ballot(1).x;  //~ defined
    if (w[n++])
      goto retry;
    if (w[n++])
      return;
  }
}
