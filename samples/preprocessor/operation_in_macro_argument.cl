// An operation that is written in the argument of a macro stands where it is written.
#define TWICE(x) ((x) * 2)

kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += TWICE(sub_group_ballot(1).x);  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
