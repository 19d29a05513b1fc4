// A jump to a label that the function does not have, though another function has it: labels belong to their function.
kernel void broken(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;  //~ error[syntax-error]: out
  data[t] = 1;
}

kernel void whole(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;
  data[t] = 1;
out:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}
