// An endless loop left only by `break` and `return`: neither makes a family, and the threads that broke out are together
// behind the loop (docs/semantics.md §3.2; thread-convergence, Sequential Execution).
kernel void take_tickets(global int *next, global int *out, int n) {
  int t = get_local_id(0);
  for (;;) {  //~ tangles: function-body
    int ticket = atomic_inc(next);  //~ defined
    if (ticket >= n)
      break;
    if (out[ticket] < 0)
      return;
    out[ticket] = sub_group_reduce_add(t);  //~ defined
  }
  out[t] = sub_group_reduce_max(t);  //~ tangles: sequence //~ defined
}
