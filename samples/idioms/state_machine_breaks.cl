// A state machine: a `switch` in an endless loop, each state ended by `break`. Each `case` has its label alone, and threads
// in different states are one again behind the `switch` (thread-convergence, Sequential Execution: `break`).
kernel void run(global const uchar *program, global int *out, int n) {
  int t = get_local_id(0), state = 0, at = t, sum = 0;
  for (;;) {
    switch (state) {
    case 0:  //~ tangles: case-label //~ defined
      sum += sub_group_reduce_add(program[at]);  //~ defined
      state = program[at] & 3;
      break;
    case 1:  //~ tangles: case-label //~ defined
      sum -= sub_group_any(program[at] == 7);  //~ defined
      state = 2;
      break;
    case 2:  //~ tangles: case-label //~ defined
      state = 0;
      break;
    default:  //~ tangles: case-label //~ defined
      state = -1;
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    if (state < 0 || ++at >= n)
      break;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined //~ tangles: function-body
  out[t] = sum;
}
