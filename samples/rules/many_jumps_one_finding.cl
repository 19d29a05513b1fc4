// One finding for one operation, not one for each jump that comes there.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t == 1) goto on;
  if (t == 2) goto on;
  if (t == 3) goto on;
  if (t == 4) goto on;
  out[t] = 1;
on:  //~ tangles: 5 //~ implementation-defined
  out[t] = sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
