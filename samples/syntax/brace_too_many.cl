// A `}` that nothing opened, between two kernels. Both are analysed.
kernel void before(global int *data) {
  int t = get_local_id(0);
  switch (data[t]) {
  case 0:
    data[t] = 1;
  case 1:  //~ implementation-defined
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@5
  }
}
}  //~ error[syntax-error]@1

kernel void after(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;
  data[t] = 1;
out:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}
