// The operations stand before the label and not behind it: between jump and label all is defined.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto done;
  out[t] = sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
  for (int i = 0; i < t; ++i)  //~ tangles: sequence //~ defined
    out[t] += sub_group_ballot(2).x;  //~ tangles: loop-body //~ defined
done:
  return;  //~ implementation-defined
}
