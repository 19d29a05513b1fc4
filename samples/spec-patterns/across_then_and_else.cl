// Pattern of interest: a `goto` from the then-side of an `if` to its else-side. The smallest statement that holds both is the
// `if` itself, so after the `if` all is one tangle again.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  if (t & 1) {  //~ tangles: function-body //~ defined
    out[t] = sub_group_ballot(1).x;  //~ tangles: if-branch //~ defined
    goto other;  //~ tangles: if-branch //~ defined
  } else {
    out[t] = sub_group_ballot(1).x;  //~ tangles: if-branch //~ defined
  other:  //~ tangles: if-branch, goto-label //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 12
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: function-body //~ defined
}
