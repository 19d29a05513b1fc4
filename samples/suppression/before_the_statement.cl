// Comments on lines of their own are about the statement that follows, with all that it holds.
kernel void k(global int *p) {
  if (p[0])
    goto out;
  p[1] = 0;
out:
  // tangle: allow(implementation-defined-convergence): p[0] is the same for all,
  // as the host fills it with one number
  barrier(CLK_LOCAL_MEM_FENCE);
  //~^ suppressed[implementation-defined-convergence]: p[0] is the same for all,

  /* tangle: allow(implementation-defined-convergence):
     a reason of
     two lines */
  p[2] = p[3] +
         work_group_any(p[1]);
  //~^ suppressed[implementation-defined-convergence]: a reason of two lines

  // tangle: allow(implementation-defined-convergence): the condition and the block
  if (work_group_any(p[1])) {
    //~^ suppressed[implementation-defined-convergence]: the condition and the block
    barrier(CLK_LOCAL_MEM_FENCE);  //~ suppressed[implementation-defined-convergence]: the condition and the block
  } else
    barrier(CLK_LOCAL_MEM_FENCE);  //~ suppressed[implementation-defined-convergence]: the condition and the block
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: allow(implementation-defined-convergence): the statement behind the label
  second:
  barrier(CLK_LOCAL_MEM_FENCE);
  //~^ suppressed[implementation-defined-convergence]: the statement behind the label
}
