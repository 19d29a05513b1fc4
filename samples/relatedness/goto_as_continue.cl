// The label stands at the end of the body, with nothing but an empty statement behind it: the doubt ends with that body, so
// the next iteration and all operations are defined.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {
    out[t] += sub_group_ballot(1).x;  //~ tangles: loop-body //~ defined
    if (t == i)
      goto next;
    out[t] += sub_group_ballot(2).x;  //~ tangles: sequence //~ defined
  next:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
    ;
  }
  out[t] += sub_group_ballot(3).x;  //~ tangles: function-body //~ defined
}
