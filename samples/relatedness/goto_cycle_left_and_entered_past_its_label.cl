// `goto outer` leaves the goto cycle of `inner`, and the end of the `switch` leads into it again, past its label. So these work-items
// are a second entry. Those that come to `goto inner` without `goto outer` derive from `inner`, too, but neither from the other.
kernel void k(global const uint *way, global uint *out) {
  // No two policies differ: who enters again counts its iterations anew, and the others have passed its iteration.
  int t = get_local_id(0), n = 16 * t;
outer:  //~ implementation-defined
  ;
  switch (way[n++]) {  //~ implementation-defined
inner:  //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
    if (way[n++])  //~ implementation-defined
      goto outer;
  }
  if (n < 16 * t + 9)  //~ implementation-defined
    goto inner;
}
// Inside the labelled statement, `goto outer` is over where that statement ends: one tangle comes to `goto inner`.
kernel void labelled_switch(global const uint *way, global uint *out) {
  int t = get_local_id(0), n = 16 * t;
outer:  //~ implementation-defined
  switch (way[n++]) {  //~ implementation-defined
inner:
    out[t] += sub_group_ballot(1).x;  //~ defined
    if (way[n++])
      goto outer;
  }
  if (n < 16 * t + 9)
    goto inner;
}
