// A suppression that is not written as it should be suppresses nothing, and is told of.
kernel void k(global int *p) {
  if (p[0])
    goto out;
  p[1] = 0;
out:
  // tangle: allow(implementation-defined-convergence)
  //~^ warning[unused-suppression]@14: suppression without a reason has no effect
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: allow(implementation-defined-convergence):
  //~^ warning[unused-suppression]: suppression without a reason has no effect
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: allow(implementation-defined-convergnce): p[0] is the same for all
  //~^ warning[unused-suppression]@20: there is no rule `implementation-defined-convergnce`; did you mean
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: allow implementation-defined-convergence: p[0] is the same for all
  //~^ warning[unused-suppression]: `allow` needs a rule
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: allow(): p[0] is the same for all
  //~^ warning[unused-suppression]: `allow` names no rule
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: ignore(implementation-defined-convergence): p[0] is the same for all
  //~^ warning[unused-suppression]: `ignore` is not supported
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: allow(*): p[0] is the same for all
  //~^ warning[unused-suppression]@20: `allow(*)` is not supported
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: ignore
  //~^ warning[unused-suppression]@14: `ignore` is not supported
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
  // tangle: prose that only mentions the tool
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]
}
