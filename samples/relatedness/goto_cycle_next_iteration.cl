// What comes round by a backward `goto` is the next iteration of what entered at the label, not a candidate of its own: the
// label and the span up to the jump have one candidate.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
again:  //~ tangles: function-body //~ defined
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
  if (++i < t)  //~ tangles: function-body //~ defined
    goto again;  //~ tangles: if-branch //~ defined
}
