// tangle: allow(implementation-defined-convergence): all jumps here are uniform, see the host's launch
// Before any code, a comment holds for the whole file.
kernel void k(global int *p) {
  if (p[0])
    goto out;
  p[1] = 0;
out:
  barrier(CLK_LOCAL_MEM_FENCE);  //~ suppressed[implementation-defined-convergence]: all jumps here are uniform
  // tangle: allow(implementation-defined-convergence): a comment that is nearer knows better
  barrier(CLK_LOCAL_MEM_FENCE);  //~ suppressed[implementation-defined-convergence]: a comment that is nearer knows better
}
