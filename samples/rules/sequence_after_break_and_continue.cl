// Rule sequence: `break` and `continue` leave the `if` around them, so what follows in the loop's body begins a new tangle;
// they do not leave the loop's statement, so what follows the loop keeps the tangle of the block.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {  //~ tangles: function-body
    if (t == i)  //~ tangles: loop-body
      continue;  //~ tangles: if-branch
    out[t] += 1;  //~ tangles: sequence
    if (t == i + 8)  //~ tangles: sequence
      break;  //~ tangles: if-branch
    out[t] += sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
