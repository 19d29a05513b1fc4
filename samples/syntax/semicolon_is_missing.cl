// A `;` is missing. The error stands at the end of what it should have ended; the other function is analysed.
kernel void broken(global int *data) {
  int i = get_global_id(0)  //~ error[syntax-error]
  data[i] = 1;
}

kernel void whole(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;
  data[t] = 1;
out:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}
