// A prototype alone: the attribute says that the function, wherever it is defined, is convergent.
__attribute__((convergent)) int vote(int v);

kernel void k(global int *out) {
  int t = get_local_id(0);
  out[t] = vote(t);  //~ defined
  if (t & 1)
    goto on;
  out[t] += 1;
on:
  out[t] += vote(t);  //~ warning[implementation-defined-convergence]: vote
}
