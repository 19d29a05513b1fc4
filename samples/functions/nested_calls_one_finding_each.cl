// A call in the argument of a call: one finding for each operation, each at its own name.
static int wide(int x) { return sub_group_scan_inclusive_add(x); }
static int plain(int x) { return x + 1; }

kernel void k(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;
  data[t] = wide(sub_group_reduce_add(t));  //~ defined
out:
  data[t] = wide(plain(sub_group_reduce_add(t)));  //~ warning[implementation-defined-convergence]@13: wide //~ warning[implementation-defined-convergence]@24: sub_group_reduce_add
}
