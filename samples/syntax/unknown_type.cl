// A name in the place of a type that nothing declares is taken for a type, said once, and the analysis goes on.
kernel void k(global real_t *out, real_t factor) {  //~ note[unknown-type]: real_t
  int t = get_local_id(0);
  real_t v = out[t] * factor;
  if (t & 1)
    goto on;
  v = v + v;
on:
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
  out[t] = v;
}
