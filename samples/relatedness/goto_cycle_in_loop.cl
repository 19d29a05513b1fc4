// A goto cycle inside the body of a loop: the family ends with the body, and the next iteration of the loop starts with one
// tangle.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {  //~ tangles: function-body
    int j = 0;  //~ tangles: loop-body
  again:  //~ defined
    out[t] += sub_group_ballot(1).x;  //~ defined
    if (++j < t)
      goto again;
    out[t] += sub_group_ballot(2).x;  //~ tangles: sequence* //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 12
  }
  out[t] += sub_group_ballot(3).x;  //~ tangles: function-body //~ defined
}
