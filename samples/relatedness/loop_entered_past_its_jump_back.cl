// Work-items that jump to `last` begin the body of the loop in its second iteration, the others in its first. So the jump back
// leaves the loop in two iterations, and what it brings is a family.
kernel void k(global uint *out, global const uint *way) {
  int t = get_local_id(0), n = 9 * t;
again:  //~ implementation-defined
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 16
  if (way[n++])  //~ implementation-defined
    goto last;
  do {  //~ implementation-defined
    if (way[n++])  //~ implementation-defined
      goto again;
    return;
last:  //~ implementation-defined
    ;
  } while (way[n++]);
}
