// Reachability: `while (1)` and `for (;;)` end by `break` only; what follows a loop without one is unreachable, and there is
// no warning where no thread comes.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  while (1) {  //~ tangles: function-body
    out[t] += sub_group_ballot(1).x;  //~ tangles: loop-body //~ defined
    if (t < 8)  //~ tangles: loop-body
      break;  //~ tangles: if-branch
  }
  out[t] += sub_group_ballot(2).x;  //~ tangles: function-body //~ defined
  for (;;) {
    if (out[t]++ > 8)
      return;
  }
  out[t] += sub_group_ballot(3).x;  //~ unreachable
}
