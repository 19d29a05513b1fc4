// Rule goto-label: one candidate for each `goto`, besides the threads that run into the label.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t < 4)
    goto out;
  out[t] = 1;  //~ tangles: sequence
  if (t < 8)
    goto out;
  out[t] = 2;  //~ tangles: sequence
out:  //~ tangles: sequence, goto-label[forward], goto-label[forward] //~ implementation-defined
  out[t] += sub_group_ballot(1).x;  //~ tangles: 3 //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 12
}
