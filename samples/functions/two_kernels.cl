// Each function is judged for itself; labels of the same name in two functions have nothing to do with each other.
kernel void a(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}

kernel void b(global uint *out) {
  int t = get_local_id(0);
on:
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
