// What a jump brought stays a candidate of its own for every statement from the label on, those nested in branches and loops
// included.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  if (t & 2) {  //~ tangles: 2 //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ implementation-defined
  }
  for (int i = 0; i < n; ++i) {  //~ implementation-defined
    out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ implementation-defined
  }
  {
    out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ tangles: 2
  }
}
