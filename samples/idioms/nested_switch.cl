// An inner `switch` that falls through is in doubt inside only: at its end the threads are one again, also when they got
// there by `break` (thread-convergence, Divergent Jumps). A fall-through in the outer one lasts to the outer end.
kernel void decode(global const int *in, global int *out) {
  int t = get_local_id(0), r = 0;
  switch (in[t] >> 4) {
  case 0:
    switch (in[t] & 3) {  //~ tangles: case-label //~ defined
    case 0:
      r = 1;
    case 1:  //~ tangles: case-label, case-label //~ implementation-defined //~ rejoins: 15
      r += sub_group_reduce_add(1);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
      break;
    default:  //~ tangles: case-label //~ defined
      r += sub_group_reduce_add(2);  //~ defined
    }
    r += sub_group_reduce_add(3);  //~ tangles: case-label //~ defined
  case 1:  //~ tangles: case-label, case-label //~ implementation-defined //~ rejoins: 22
    switch (in[t] & 1) {  //~ implementation-defined
    case 0:
      r += sub_group_reduce_add(4);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
    }
  }
  out[t] = sub_group_reduce_add(r);  //~ tangles: function-body //~ defined
}
