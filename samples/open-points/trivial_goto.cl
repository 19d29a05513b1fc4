// Open point: a `goto` that jumps trivially to the next statement. As written in the text: it separates the threads all the
// same, and the candidate is marked.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto next;
next:  //~ tangles: sequence, goto-label[trivial] //~ implementation-defined
  out[t] = sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 9
}
