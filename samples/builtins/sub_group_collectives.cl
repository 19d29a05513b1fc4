// The collectives of a sub-group that every work-item must execute (cl_khr_subgroups).
kernel void k(global int *out) {
  int t = get_local_id(0), v = t;
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  v += sub_group_all(v);  //~ warning[implementation-defined-convergence]: sub_group_all
  v += sub_group_any(v);  //~ warning[implementation-defined-convergence]: sub_group_any
  v += sub_group_broadcast(v, 0);  //~ warning[implementation-defined-convergence]: sub_group_broadcast
  v += sub_group_reduce_add(v);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
  v += sub_group_scan_exclusive_min(v);  //~ warning[implementation-defined-convergence]: sub_group_scan_exclusive_min
  v += sub_group_scan_inclusive_max(v);  //~ warning[implementation-defined-convergence]: sub_group_scan_inclusive_max
  out[t] = v;
}
