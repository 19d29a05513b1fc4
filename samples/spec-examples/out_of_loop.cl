// Fourth example of the section Examples: a `goto` out of a loop. The jump brings a sequence of tangles to Target1, one for
// each iteration (a family), besides the threads that leave by the condition.
kernel void foo(global uint *out, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; ++i) {  //~ tangles: function-body
    out[t] += i;  //~ tangles: loop-body //~ defined
    if (t == i)  //~ tangles: loop-body
      goto Target1;  //~ tangles: if-branch
    out[t] += sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
Target1:  //~ tangles: sequence, goto-label* //~ implementation-defined
  out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 14
}
