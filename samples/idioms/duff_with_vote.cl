// Duff's device, with a vote where the copy would be. The `switch` enters the loop at two places, so threads that came by
// `case 1` meet threads that came by the condition (thread-convergence, Divergent Jumps and Examples). They are one again
// at the end of the `switch`.
kernel void any_set(global const int *in, global int *out, int n) {
  int t = get_local_id(0), i = 0, seen = 0;
  int rounds = (n + 1) / 2;
  switch (n + t & 1) {  //~ defined //~ tangles: function-body
  case 0:  //~ tangles: case-label //~ defined
    do {
      seen += sub_group_any(in[i++]);  //~ warning[implementation-defined-convergence]: sub_group_any
  case 1:  //~ implementation-defined //~ rejoins: 15
      seen += sub_group_any(in[i++]);  //~ warning[implementation-defined-convergence]@15: sub_group_any
    } while (--rounds > 0);
    seen += sub_group_all(seen);  //~ warning[implementation-defined-convergence]: sub_group_all
  }
  out[t] = sub_group_reduce_add(seen);  //~ defined //~ tangles: function-body
}
