// What a comment says is uniform must be declared where it stands.
// tangle: uniform(workgroup): at the top, but about what follows all the same
int tile_of(global const int *map);

void step(global float *p,
          int n) {  // tangle: uniform(workgroup)
  int last = p[n];  // tangle: uniform(subgroup): a reason
  // tangle: uniform(grid)
  //~^ warning[unused-suppression]@14: no function, parameter or local variable is declared at this `uniform` comment
  p[0] = last;
  int other = 0;  // tangle: uniform(block)
  //~^ warning[unused-suppression]: unknown scope `block`
  other += n;  // tangle: uniform
  //~^ warning[unused-suppression]: `uniform` needs a scope
}

// tangle: uniform(grid, q, m)
//~^ warning[unused-suppression]: no parameter or local variable `m` is declared here
kernel void k(global float *q, int n) { step(q, n + tile_of(0)); }
