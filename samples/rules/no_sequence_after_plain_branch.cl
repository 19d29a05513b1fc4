// Section The `if` Statement, note: threads that part at a branch reconverge at its end. An `if` that all threads leave by
// running on begins no new tangle.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)  //~ tangles: function-body
    out[t] = 1;  //~ tangles: if-branch
  else
    out[t] = 2;  //~ tangles: if-branch
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
