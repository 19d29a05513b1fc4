// any, all, shuffle and rotate are functions on vectors and integers of one work-item, no votes and no exchange.
kernel void k(global int *out) {
  int t = get_local_id(0);
  int4 v = (int4)(t);
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  out[t] += any(v) + all(v);  //~ implementation-defined
  v = shuffle(v, (uint4)(3, 2, 1, 0));
  out[t] += rotate(v.x, 3);
}
