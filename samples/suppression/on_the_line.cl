// A comment on the line of a finding suppresses it, whether it stands before or behind the code. Other lines are told as ever.
kernel void k(global int *p) {
  if (p[0])
    goto out;
  p[1] = 0;
out:
  barrier(CLK_LOCAL_MEM_FENCE); // tangle: allow(implementation-defined-convergence): p[0] is the same for all
  //~^ suppressed[implementation-defined-convergence]: p[0] is the same for all
  /* tangle: allow(implementation-defined-convergence): known */ barrier(CLK_LOCAL_MEM_FENCE);
  //~^ suppressed[implementation-defined-convergence]: known
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
}
