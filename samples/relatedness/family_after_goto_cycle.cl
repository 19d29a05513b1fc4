// What follows a goto cycle, up to the end of the smallest statement that holds label and jump, is a family: threads leave
// the cycle in different iterations, and nothing makes them rejoin. After that statement they are one again.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  {  //~ tangles: function-body
  again:  //~ defined
    out[t] += sub_group_ballot(1).x;  //~ defined
    if (++i < t)  //~ defined
      goto again;
    out[t] += sub_group_ballot(2).x;  //~ tangles: sequence* //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 11
  }
  out[t] += sub_group_ballot(3).x;  //~ tangles: function-body //~ defined
}
