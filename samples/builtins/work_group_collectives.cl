// The collectives of a work-group: votes, broadcast, reductions, scans.
kernel void k(global int *out) {
  int t = get_local_id(0), v = t;
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  v += work_group_all(v);  //~ warning[implementation-defined-convergence]: work_group_all
  v += work_group_any(v);  //~ warning[implementation-defined-convergence]: work_group_any
  v += work_group_broadcast(v, 0);  //~ warning[implementation-defined-convergence]: work_group_broadcast
  v += work_group_reduce_add(v);  //~ warning[implementation-defined-convergence]: work_group_reduce_add
  v += work_group_reduce_min(v);  //~ warning[implementation-defined-convergence]: work_group_reduce_min
  v += work_group_scan_exclusive_add(v);  //~ warning[implementation-defined-convergence]: work_group_scan_exclusive_add
  v += work_group_scan_inclusive_max(v);  //~ warning[implementation-defined-convergence]: work_group_scan_inclusive_max
  out[t] = v;
}
