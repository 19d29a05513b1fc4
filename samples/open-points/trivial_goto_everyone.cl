// Open point: a trivial `goto` that every thread executes. There is no other way to the label, so one candidate.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  goto next;
next:  //~ tangles: goto-label[trivial] //~ defined
  out[t] = sub_group_ballot(1).x;  //~ tangles: goto-label //~ defined
}
