// Work-items leave the inner goto cycle one iteration at a time, and the `switch` does not bring them together again: each of its
// tangles jumps to `outer`. So what comes there is a family, as with an `if` in place of the `switch`.
kernel void k(global uint *out, global const uint *way) {
  // No two policies differ: the tangles are in different rounds of the goto cycles.
  int t = get_local_id(0), n = 9 * t;
outer:  //~ implementation-defined
  ;
inner:  //~ implementation-defined
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 16
  if (way[n++])  //~ implementation-defined
    goto inner;
  switch (way[n++]) {  //~ implementation-defined
    case 1:  //~ implementation-defined
      goto outer;
  }
}
