// Cycles that are entered at several blocks, and hold an operation whose convergence is defined: its token is the heart of a head that each
// iteration of the source passes once (docs/semantics.md §6).
kernel void into_a_switch(global const int *w, global int *out) {
  int n = get_local_id(0), t = n;
  switch (w[n++]) {
  again:
    out[t] += sub_group_reduce_add(1);  //~ token: loop@7 //~ defined
  case 0:
    out[t] += sub_group_reduce_add(2);  //~ token: loop@7 //~ warning[implementation-defined-convergence]: case 0
  }
  if (w[n++])
    goto again;
}
kernel void into_nested_loops(global const int *w, global int *out) {
  int n = get_local_id(0), t = n;
  goto in;
  while (w[n++]) {
    while (w[n++]) {
    in:
      out[t] += sub_group_reduce_add(1);  //~ token: loop@18 //~ defined
    }
  }
}
