// A function is convergent if something that it calls is, however far down.
int innermost(int v) { return sub_group_reduce_add(v); }
int middle(int v) { return innermost(v) + 1; }
static inline int outer(int v) { return middle(v) * 2; }

kernel void k(global int *out) {
  int t = get_local_id(0);
  out[t] = outer(t);  //~ defined
  if (t & 1)
    goto on;
  out[t] += 1;
on:
  out[t] += outer(t);  //~ warning[implementation-defined-convergence]: outer
}
