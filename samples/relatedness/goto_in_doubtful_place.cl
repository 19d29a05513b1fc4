// A jump that is itself executed where the implementation decides brings that doubt along: the jump is the only way to the
// label, but the threads that jump are two tangles. It ends where the first doubt ends.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto a;
  out[t] = 1;
a:  //~ tangles: sequence, goto-label //~ implementation-defined
  out[t] += 2;  //~ implementation-defined
  goto b;  //~ implementation-defined
b:  //~ implementation-defined
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 13
}
