// Fall-through with the barrier moved behind the `switch`: the same computation, defined.
kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  switch (out[t]) {
  case 0:
    x[t] = 0;
  case 1:  //~ implementation-defined
    x[t] += 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  out[t] = x[t ^ 1];
}
