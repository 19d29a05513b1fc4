// Section Iteration Statement, note: the tangles of later iterations derive from those of earlier ones, so an operation under
// a branch in a loop is defined: two iterations are two executions, never one.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  while (n-- > 0) {
    if (t > n)  //~ tangles: loop-body //~ defined
      out[t] += sub_group_ballot(1).x;  //~ tangles: if-branch //~ defined
  }
}
