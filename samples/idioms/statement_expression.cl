// A barrier inside a statement expression is executed where the expression is: here with the function's tangle, there behind
// a label where tangles meet.
kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  int a = ({ x[t] = t; barrier(CLK_LOCAL_MEM_FENCE); x[t ^ 1]; });  //~ tangles: function-body //~ defined
  if (a & 1)
    goto on;
  a += 1;
on:  //~ implementation-defined
  out[t] = ({ barrier(CLK_LOCAL_MEM_FENCE); x[t]; }) + a;  //~ warning[implementation-defined-convergence]: barrier
}
