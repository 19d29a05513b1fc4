// The attribute on a definition makes the function convergent although its body holds no operation.
__attribute__((convergent)) int pass(int v) { return v; }

kernel void k(global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += pass(t);  //~ warning[implementation-defined-convergence]: pass
}
