void retry(global int *p) {
again:
  barrier(CLK_LOCAL_MEM_FENCE);
  if (p[0])
    goto again;
  // tangle: allow(implementation-defined-convergence): all work-items retry together
  barrier(CLK_LOCAL_MEM_FENCE);
}
