// A prototype alone, without the attribute: nothing says that the function is convergent, so its call is no operation.
int lookup(int v);
__attribute__((noconvergent)) int square(int v);

kernel void k(global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  out[t] += lookup(t);  //~ implementation-defined
  out[t] += square(t);  //~ implementation-defined
}
