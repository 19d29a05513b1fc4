// Rule if-branch: each side of an `if` has a tangle of its own, an `else if` one inside the other.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t < 8) {  //~ tangles: function-body
    out[t] = sub_group_ballot(1).x;  //~ tangles: if-branch //~ defined
  } else if (t < 16) {
    out[t] = sub_group_ballot(2).x;  //~ tangles: if-branch //~ defined
  } else {
    out[t] = sub_group_ballot(3).x;  //~ tangles: if-branch //~ defined
  }
  out[t] += sub_group_ballot(4).x;  //~ tangles: function-body //~ defined
}
