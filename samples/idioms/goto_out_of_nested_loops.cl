// The search that leaves both loops by `goto`: the family of all iterations meets at the label.
kernel void k(global const int *in, global uint *out, int n) {
  int t = get_local_id(0), found = -1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (in[i * n + j] == t) {
        found = i;
        goto done;
      }
done:  //~ tangles: sequence, goto-label* //~ implementation-defined
  out[t] = sub_group_ballot(found >= 0).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
