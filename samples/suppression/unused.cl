// What suppresses nothing is told of, where it names the rule.
kernel void k(global int *p, int n) {
  barrier(CLK_LOCAL_MEM_FENCE); // tangle: allow(implementation-defined-convergence): not so
  //~^ warning[unused-suppression]@50: unused suppression: no finding of `implementation-defined-convergence` here
  // tangle: allow(syntax-error): a line that is too early
  //~^ warning[unused-suppression]
  p[0] = 1;
  /* tangle: allow(unused-suppression): so */ p[1] = 2; // tangle: allow(syntax-error): not so
  //~^ suppressed[unused-suppression]: so
  // tangle: allow(unused-suppression): and so on
  //~^ warning[unused-suppression]: unused suppression: no finding of `unused-suppression` here
  p[2] = 3;
#if 0
  p[3] = LATER; // tangle: allow(unknown-name): this line is left out, so nobody knows
#endif
}
// tangle: allow(syntax-error): about nothing at all
//~^ warning[unused-suppression]
