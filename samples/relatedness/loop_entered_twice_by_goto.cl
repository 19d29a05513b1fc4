// A `goto` before a loop and one behind it lead into its body. Threads that come back by the second are not the next
// iteration of those that came by the first: the loop has turned in between, so they are two tangles at the label.
kernel void k(global int *p) {
  // No two policies differ: the tangles are in different rounds of the goto cycle.
  int c = p[1], d = p[get_local_id(0)];
  goto in;
  while (c--) {
  in:
    barrier(1);  //~ warning[implementation-defined-convergence]: `barrier`
  }
  if (d--) goto in;
}
