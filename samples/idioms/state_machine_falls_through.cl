// The same state machine with a missing `break`. Threads that fell into `case 1` do not join those that jumped there
// until the end of the `switch` (thread-convergence, The switch Statement, TBD).
kernel void run(global const uchar *program, global int *out, int n) {
  int t = get_local_id(0), state = 0, at = t, sum = 0;
  while (at < n) {
    switch (state) {
    case 0:  //~ tangles: case-label //~ defined
      sum += sub_group_reduce_add(program[at]);  //~ defined
      state = program[at] & 1;
    case 1:  //~ tangles: case-label, case-label //~ implementation-defined //~ rejoins: 15
      sum -= sub_group_any(program[at] == 7);  //~ warning[implementation-defined-convergence]@14: sub_group_any
      break;
    default:  //~ tangles: case-label //~ defined
      sum += sub_group_all(state);  //~ defined
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    at += 16;
  }
  out[t] = sum;
}
