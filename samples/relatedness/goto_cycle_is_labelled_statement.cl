// A labelled statement contains its label, so when the jump lies in it, it is itself the smallest statement that holds both,
// and what follows it is one tangle again.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
again:  //~ defined
  if (i < t) {
    out[t] += sub_group_ballot(1).x;  //~ defined
    ++i;
    goto again;
  }
  out[t] += sub_group_ballot(2).x;  //~ tangles: function-body //~ defined
}
