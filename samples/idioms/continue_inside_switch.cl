// `continue` inside a `switch` leaves the `switch`; those that stay run on as one sequence behind it and meet the others at
// the next round (thread-convergence, Iteration Statement: `continue`).
kernel void filter(global const int *in, global int *out, int n) {
  int t = get_local_id(0), kept = 0;
  for (int i = t; i < n; i += 64) {
    switch (in[i]) {  //~ tangles: loop-body //~ defined
    case 0:
      continue;
    case 1:
      kept += sub_group_reduce_add(1);  //~ defined
      break;
    default:
      if (in[i] < 0)
        break;
      kept += sub_group_reduce_max(1);  //~ defined
    }
    kept += sub_group_any(kept);  //~ tangles: sequence //~ defined
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  out[t] = kept;
}
