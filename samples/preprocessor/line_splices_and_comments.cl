// A call may be spread over lines and comments; the finding stands at the name.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += /* a comment */ sub_group_ballot  //~ warning[implementation-defined-convergence]@29: sub_group_ballot
      (1)
      .x; /* a comment
             over lines */ out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]@38: sub_group_ballot
  // sub_group_ballot(1) in a comment is no operation
  printf("sub_group_ballot(1)");
}
