// Those that work on the work-items that are there depend on the tangle most of all: its members are the result.
kernel void k(global int *out) {
  int t = get_local_id(0), v = t;
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  v += sub_group_elect();  //~ warning[implementation-defined-convergence]: sub_group_elect
  v += sub_group_non_uniform_all(v);  //~ warning[implementation-defined-convergence]: sub_group_non_uniform_all
  v += sub_group_non_uniform_any(v);  //~ warning[implementation-defined-convergence]: sub_group_non_uniform_any
  v += sub_group_non_uniform_all_equal(v);  //~ warning[implementation-defined-convergence]: sub_group_non_uniform_all_equal
  v += sub_group_non_uniform_broadcast(v, 0);  //~ warning[implementation-defined-convergence]: sub_group_non_uniform_broadcast
  v += sub_group_broadcast_first(v);  //~ warning[implementation-defined-convergence]: sub_group_broadcast_first
  v += sub_group_non_uniform_reduce_mul(v);  //~ warning[implementation-defined-convergence]: sub_group_non_uniform_reduce_mul
  v += sub_group_non_uniform_scan_inclusive_logical_xor(v);  //~ warning[implementation-defined-convergence]: sub_group_non_uniform_scan_inclusive_logical_xor
  v += sub_group_clustered_reduce_add(v, 4);  //~ warning[implementation-defined-convergence]: sub_group_clustered_reduce_add
  out[t] = v;
}
