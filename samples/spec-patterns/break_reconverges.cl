// Section Divergent Jumps: "a tangle that exits a statement S by executing a break statement trivially reconverges at the end
// of S", be it a loop or a `switch`.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {  //~ tangles: function-body
    if (t == i)
      break;
    out[t] += sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
  switch (t & 3) {
  case 0:
    if (t > 8)
      break;
    out[t] += sub_group_ballot(1).x;  //~ defined
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
