// "The smallest statement that contains both": the label lies in a block, the jump before it, so the tangles stay apart past
// the end of the block, to the end of the function.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto inside;
  {
    out[t] = sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
  inside:  //~ implementation-defined
    out[t] += 1;  //~ tangles: 2 //~ implementation-defined
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: 2 //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 13
}
