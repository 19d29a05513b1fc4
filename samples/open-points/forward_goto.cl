// Open point: the simple forward `goto`. As written in the text: a candidate of its own to the end of the smallest statement
// that holds both, marked.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
on:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
  out[t] += 1;  //~ tangles: sequence, goto-label //~ implementation-defined
  out[t] += sub_group_ballot(2).x;  //~ tangles: sequence, goto-label //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 11
}
