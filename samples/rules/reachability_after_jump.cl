// Reachability: what stands behind a jump, without a label, is unreachable; an operation there gets no warning, even between
// a `goto` and its label.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  if (t & 1) {
    goto on;
    out[t] = sub_group_ballot(1).x;  //~ unreachable
  }
  if (t & 2) {  //~ tangles: sequence
    return;
    out[t] = sub_group_ballot(1).x;  //~ unreachable
  }
  for (int i = 0; i < n; ++i) {  //~ tangles: sequence
    continue;
    out[t] = sub_group_ballot(1).x;  //~ unreachable
  }
on:  //~ implementation-defined
  out[t] = 1;
}
