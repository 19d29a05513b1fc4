// The body of a function decides, also when it comes after the call.
int total(int v);

kernel void k(global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += total(t);  //~ warning[implementation-defined-convergence]: total
}

int total(int v) { return sub_group_reduce_add(v); }
