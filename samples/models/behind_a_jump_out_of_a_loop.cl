// A loop that begins in the span of a backward jump and holds the jump. To the revision, what it holds behind the jump is not in the span, but
// the threads that execute the loop together are in doubt, and so is what it holds (docs/semantics.md §4b, 4d). To the draft, threads leave the loop by
// `goto` on any of its iterations, and come to the label as a family (docs/semantics.md §3.2).
kernel void k(global int *p, int n) {
  int t = get_local_id(0), i = 0;
again:  //~ implementation-defined
  while (i < n) {  //~ implementation-defined
    i += sub_group_reduce_add(1);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
    if (p[t] == i)
      goto again;
    p[t] = sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
  }
  p[t] = sub_group_reduce_add(3);  //~ defined
}
