// A forward jump whose label lies in the same body: the loop contains both, so there is no family, but two candidates.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {  //~ tangles: function-body
    if (t == i)  //~ tangles: loop-body
      goto on;
    out[t] += 1;  //~ tangles: sequence
  on:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ tangles: 2 //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 10
  }
  out[t] += sub_group_ballot(2).x;  //~ tangles: function-body //~ defined
}
