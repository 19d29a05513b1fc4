// Operations in the parts of a `for` run with the tangles of entry and of iteration, all related: defined. Behind a label
// they are as doubtful as the statement.
kernel void k(global int *out, int n) {
  int t = get_local_id(0);
  for (int i = work_group_reduce_max(t); i > 0; i -= work_group_reduce_min(n))
    out[t] += i;  //~ defined
  if (t & 1)
    goto on;
  out[t] += 1;
on:  //~ implementation-defined
  for (int i = sub_group_ballot(1).x; sub_group_non_uniform_any(i > t); --i)  //~ implementation-defined //~ warning[implementation-defined-convergence]: sub_group_ballot //~ warning[implementation-defined-convergence]: sub_group_non_uniform_any
    out[t] += i;
}
