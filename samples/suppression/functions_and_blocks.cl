// A comment before a definition, a loop or a block covers all of it, and nothing after it.
#define N 4

// tangle: allow(implementation-defined-convergence): p[0] is the same for all
kernel void k(global int *p) {
  if (p[0])
    goto out;
  p[1] = 0;
out:
  barrier(CLK_LOCAL_MEM_FENCE);  //~ suppressed[implementation-defined-convergence]: p[0] is the same for all
  {
    barrier(CLK_LOCAL_MEM_FENCE);  //~ suppressed[implementation-defined-convergence]: p[0] is the same for all
  }
}

kernel void after(global int *p) {
  if (p[0])
    goto out;
  p[1] = 0;
out:
  // tangle: allow(implementation-defined-convergence): in the loop
  for (int i = 0; i < N; i++)
    if (i % 2) {
      barrier(CLK_LOCAL_MEM_FENCE);  //~ suppressed[implementation-defined-convergence]: in the loop
    }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: allow(implementation-defined-convergence): in the block
  {
    p[2] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ suppressed[implementation-defined-convergence]: in the block
  }
  // tangle: allow(implementation-defined-convergence): nothing in the block has a finding
  //~^ warning[unused-suppression]: unused suppression: no finding of `implementation-defined-convergence` here
  {
    p[2] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
}

// A branch of a condition may hold the beginning of a function.
// tangle: allow(implementation-defined-convergence): for both
#ifdef NOWHERE_DEFINED
kernel void one(global int *p, int n) {
#else
kernel void other(global int *p) {
#endif
  if (p[0])
    goto out;
  p[1] = 0;
out:
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
}
