// Pattern of interest: a `goto` that jumps into a loop. The cycle has two entries (it is irreducible), and whichever way the
// threads came in, they stay apart until the end of the function, which is the smallest statement that holds jump and label.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);
  if (t & 1)
    goto inside;
  while (n-- > 0) {  //~ tangles: sequence //~ defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 13
  inside:  //~ implementation-defined
    out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 13
  }
  out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 13
}
