// A helper without a convergent operation may be called anywhere.
int twice(int v) { return v * 2; }

kernel void k(global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  out[t] += twice(t);  //~ implementation-defined
}
