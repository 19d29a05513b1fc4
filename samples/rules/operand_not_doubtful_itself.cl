// Rule operand: an operand of `&&`, `||` and `?:` has a tangle of its own. In a statement that is left to the implementation
// the operation inside is so too, and it is one finding for each operation.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  out[t] = (t & 1) && sub_group_non_uniform_any(t > 3);  //~ defined
  if (t & 2)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  out[t] += (t & 1) && sub_group_non_uniform_any(t > 3);  //~ warning[implementation-defined-convergence]: sub_group_non_uniform_any
  out[t] += (t & 1) ? sub_group_ballot(1).x : 0;  //~ warning[implementation-defined-convergence]: sub_group_ballot
}
