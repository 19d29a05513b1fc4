// `break` and `continue` with nothing to leave, and a `continue` in a `switch` without a loop. The kernel behind them is
// analysed.
kernel void broken(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    break;  //~ error[syntax-error]@5
  switch (data[t]) {
  case 0:
    continue;  //~ error[syntax-error]@5
  }
}

kernel void whole(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;
  data[t] = 1;
out:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}
