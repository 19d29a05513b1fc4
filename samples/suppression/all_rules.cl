// `all` stands for every rule, but for `unused-suppression`.
#define N 4

// tangle: allow(all): kept for reference
kernel void old(global later *p) {  //~ suppressed[unknown-type]: kept for reference
  if (p[0])
    goto out;
  p[1] = 0;
out:
  barrier(CLK_LOCAL_MEM_FENCE);  //~ suppressed[implementation-defined-convergence]: kept for reference
  // tangle: allow(divergent-spin-lock): there is no lock
  //~^ warning[unused-suppression]@20: unused suppression: no finding of `divergent-spin-lock` here
  p[2] = 0;
}

kernel void k(global int *p) {
  p[0] = N; // tangle: allow(all): nothing is wrong
  //~^ warning[unused-suppression]@30: unused suppression: no finding here
}
