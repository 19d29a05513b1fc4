// A macro that gives a built-in another name, or pastes its name together: what counts is what comes out.
#define ballot(p) sub_group_ballot(p).x
#define REDUCE(op) sub_group_reduce_##op

kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += ballot(t & 2);  //~ warning[implementation-defined-convergence]: sub_group_ballot
  out[t] += REDUCE(add)(t);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
}
