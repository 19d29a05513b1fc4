// Open point: "But the break statement does not produce such a divergence." The same shape with `break` instead of `goto`.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  do {
    if (t & 1)
      break;
  } while (0);
  out[t] = sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
