// Second example of the section Examples: a `goto` from the first `if` into the `else` side of the second. Two tangles
// meet at Target2, from the jump and from the branch, and neither derives from the other. (The text writes `goto Target1`
// where it means Target2.)
kernel void foo(global uint *out) {
  int t = get_local_id(0);
  if (t & 1) {  //~ tangles: function-body
    out[t] = 2;  //~ tangles: if-branch
    goto Target2;  //~ tangles: if-branch
  }
  if (t & 2) {  //~ tangles: sequence //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: if-branch //~ defined
  } else {
  Target2:  //~ tangles: if-branch, goto-label //~ implementation-defined
    out[t] = sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ tangles: 2 //~ rejoins: 16
  }
}
