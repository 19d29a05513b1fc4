// "Duff's device can be analyzed in the same way": each `case` inside the loop is an entry of its own into the cycle, and
// the tangles that come in stay apart until the end of the `switch`.
kernel void foo(global uint *out, int n) {
  int t = get_local_id(0), k = (n + 3) / 4;
  switch (t & 3) {  //~ tangles: function-body //~ defined
  case 0:  //~ tangles: case-label //~ defined
    do {  //~ defined
      out[t] += 1;  //~ implementation-defined
    case 3:  //~ implementation-defined
      out[t] += 2;  //~ implementation-defined
    case 2:  //~ implementation-defined
      out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 16
    case 1:  //~ implementation-defined
      out[t] += 4;  //~ implementation-defined
    } while (--k > 0);
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
