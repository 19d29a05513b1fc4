// Rule function-body, and sequential execution: the statements of a straight-line block all run with one and the same tangle.
kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);  //~ tangles: function-body
  x[t] = t;  //~ tangles: function-body
  {  //~ tangles: function-body
    x[t] += 1;  //~ tangles: function-body
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  ;  //~ tangles: function-body
  out[t] = x[t ^ 1];  //~ tangles: function-body
}
