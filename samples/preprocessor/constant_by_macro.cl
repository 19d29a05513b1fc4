// A switch by macro inside the code: the condition is constant after expansion, so the jump is unreachable.
#define DEBUG 0

kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  if (DEBUG)
    goto on;  //~ unreachable
  x[t] = out[t];  //~ tangles: function-body
on:  //~ tangles: function-body //~ defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  out[t] = x[t ^ 1];
}
