// A jump out of the inner loop to a label in the body of the outer: its instances differ in the inner iterations, which do
// not contain the label. After the outer body all is one again.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {  //~ tangles: function-body
    for (int j = 0; j < n; ++j) {  //~ tangles: loop-body
      if (t == j)
        goto found;
      out[t] += sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
    }
    out[t] += sub_group_ballot(2).x;  //~ tangles: sequence //~ defined
  found:  //~ tangles: sequence, goto-label* //~ implementation-defined
    out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 14
  }
  out[t] += sub_group_ballot(4).x;  //~ tangles: function-body //~ defined
}
