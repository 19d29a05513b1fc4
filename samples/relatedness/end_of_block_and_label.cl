// Threads rejoin at the end of the smallest statement that contains jump and label, be it a plain block or a labelled statement.
kernel void block(global const int *way, global uint *out) {
  int t = get_local_id(0);
  {
    if (way[t])
      goto skip;
    out[t] += sub_group_ballot(1).x;  //~ defined
  skip:;  //~ implementation-defined
  }
  out[t] += sub_group_ballot(2).x;  //~ defined //~ tangles: function-body
}
kernel void labelled(global const int *way, global uint *out) {
  int n = get_local_id(0), t = n;
again:  //~ defined
  if (way[n++])  //~ defined
    goto again;
  out[t] += sub_group_ballot(2).x;  //~ defined //~ tangles: function-body
}
