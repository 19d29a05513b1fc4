// A state machine by `goto`: `work` is reached from `start` and from `more`, in any iteration, so it is left to the
// implementation.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  if (t & 1)
    goto more;
work:  //~ implementation-defined
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
more:  //~ implementation-defined
  if (++i < t)
    goto work;
}
