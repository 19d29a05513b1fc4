// A missing `)`: one error, and the other function is analysed.
kernel void a(global uint *out) {
  int t = get_local_id(0);
  out[t] = (t + 1;  //~ error[syntax-error]
  out[t] += 1;
}

kernel void b(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
