// Code that a condition of the preprocessor removes is not there: no jump, no candidate.
#define CHECKED 0

kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
#if CHECKED
  if (t & 1)
    goto on;
#endif
  x[t] = out[t];
#if CHECKED
on:
#endif
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  out[t] = x[t ^ 1];
}
