// What stands in a string, or behind other words of a comment, is no suppression.
constant char text[] = "// tangle: allow(implementation-defined-convergence): text";

kernel void k(global int *p) {
  if (p[0])
    goto out;
  p[1] = 0;
out:
  // see tangle: allow(implementation-defined-convergence): not at the beginning
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  printf("// tangle: allow(implementation-defined-convergence): text"); barrier(CLK_LOCAL_MEM_FENCE);
  //~^ warning[implementation-defined-convergence]
}
