// Section Function body: a kernel starts with a tangle that the environment defines (the work-group), and a convergent call
// hands its tangle on to the body of the function. Neither is left to the implementation.
void step(local int *x) {
  x[get_local_id(0)] += 1;  //~ tangles: function-body //~ defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
}

kernel void k(global int *out, local int *x) {
  x[get_local_id(0)] = 0;  //~ tangles: function-body //~ defined
  step(x);  //~ tangles: function-body //~ defined
  step(x);  //~ tangles: function-body //~ defined
  out[get_global_id(0)] = x[0];
}
