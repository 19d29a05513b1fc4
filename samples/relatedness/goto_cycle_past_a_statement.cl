// Work-items that skip the first `if` come to the second ballot, then to `goto again`, and to the ballot for the second time. Work-items
// that went past it, to `last`, come to it for the first time by the same `goto again`. Neither tangle derives from the other.
kernel void k(global const uint *way, global uint *out) {
  // No two policies differ: an execution takes all that one jump brings as the same iteration, however it entered.
  int t = get_local_id(0), n = 16 * t;
  if (way[n++]) {
again:  //~ implementation-defined
    if (way[n++])  //~ implementation-defined
      goto last;
  }
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  n++;  //~ implementation-defined
last:  //~ implementation-defined
  if (n < 16 * t + 9)  //~ implementation-defined
    goto again;
}
