// Without `goto` and without fall-through the models agree: all is defined.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  if (t >= n)
    return;
  for (int i = 0; i < n; ++i) {
    if (t == i)
      continue;
    if (t == i + 5)
      break;
    out[t] += sub_group_ballot(1).x;  //~[tangles] defined //~[revised] defined
  }
  switch (t & 1) {
  case 0:
    out[t] += sub_group_ballot(2).x;  //~[tangles] defined //~[revised] defined
    break;
  default:
    out[t] += sub_group_ballot(3).x;  //~[tangles] defined //~[revised] defined
  }
  out[t] += sub_group_ballot(4).x;  //~[tangles] defined //~[revised] defined
}
