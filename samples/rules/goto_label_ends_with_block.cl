// "Distinct until the end of the smallest statement that contains both": jump and label lie in an inner block, so after the
// block there is the one tangle of the block around it, the same as before.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  {  //~ tangles: function-body //~ defined
    if (t & 1)  //~ tangles: function-body
      goto skip;  //~ tangles: if-branch
    out[t] = 1;  //~ tangles: sequence
  skip:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ tangles: 2 //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 11
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
