// A backward `goto` into a loop: what the loop does before the label, with threads that never jumped, is not in doubt as long as
// the threads that jumped in leave the loop before they get there.
kernel void k(global int *p) {
  // No two policies differ: the tangles are in different rounds of the goto cycle.
  int t = get_local_id(0);
  do {  //~ tangles: function-body //~ defined
    p[t] -= sub_group_ballot(1).x;  //~ tangles: loop-entry, loop-body //~ defined
    if (p[t] & 1) {
    leave:  //~ tangles: if-branch, goto-label //~ implementation-defined
      p[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: goto leave
      break;
    }
    p[t] += 3;  //~ defined
  } while (p[t] > 0);
  if (p[t] == 7)
    goto leave;
}
