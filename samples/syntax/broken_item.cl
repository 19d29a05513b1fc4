// A broken declaration between two functions costs itself only.
kernel void a(global uint *out) {
  int t = get_local_id(0);
  out[t] += sub_group_ballot(1).x;  //~ defined
}

constant int table[3] = { 1, 2, ) };  //~ error[syntax-error]

kernel void b(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
