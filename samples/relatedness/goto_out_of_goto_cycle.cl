// A jump out of a goto cycle makes a family at its label, as a jump out of a loop does.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  {
  again:  //~ defined
    out[t] += sub_group_ballot(1).x;  //~ defined
    if (i == t)  //~ defined
      goto done;
    ++i;  //~ defined
    goto again;
  }
done:  //~ tangles: goto-label* //~ implementation-defined
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 14
}
