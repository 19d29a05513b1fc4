// A missing `;` costs the statement, not the function, and not the file: what is doubtful behind it is still found.
kernel void a(global uint *out) {
  int t = get_local_id(0);
  if (t & 4) { out[t] = 3 }  //~ error[syntax-error]
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}

kernel void b(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
