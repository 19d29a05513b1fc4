// Functions that call each other: one holds an operation, so both are convergent.
int odd(int v);
int even(int v) { return v == 0 ? sub_group_reduce_add(v) : odd(v - 1); }
int odd(int v) { return v == 0 ? 0 : even(v - 1); }

kernel void k(global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  out[t] += odd(t);  //~ warning[implementation-defined-convergence]: odd
}
