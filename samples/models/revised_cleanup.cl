// model: revised
// The usual clean-up by `goto`, from inside a loop too, is defined in the revision.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  if (t >= n)
    goto cleanup;
  for (int i = 0; i < n; ++i) {
    if (t == i)
      goto cleanup;
    out[t] += sub_group_ballot(1).x;  //~ defined
  }
cleanup:  //~ defined
  out[t] += sub_group_ballot(2).x;  //~ defined
}
