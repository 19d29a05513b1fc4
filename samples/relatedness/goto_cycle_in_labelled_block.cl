// The same with a block under the label: inside the block, what follows the jump is a family; after the block all is well.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
again:  //~ defined
  {
    out[t] += sub_group_ballot(1).x;  //~ defined
    if (++i < t)  //~ defined
      goto again;
    out[t] += sub_group_ballot(2).x;  //~ tangles: sequence* //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 10
  }
  out[t] += sub_group_ballot(3).x;  //~ tangles: function-body //~ defined
}
