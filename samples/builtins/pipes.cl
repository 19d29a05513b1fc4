// Reservations by a group are convergent, those of one work-item are not.
kernel void k(read_only pipe int p, global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  reserve_id_t own = reserve_read_pipe(p, 1);  //~ implementation-defined
  commit_read_pipe(p, own);  //~ implementation-defined
  reserve_id_t all = work_group_reserve_read_pipe(p, 64);  //~ warning[implementation-defined-convergence]: work_group_reserve_read_pipe
  work_group_commit_read_pipe(p, all);  //~ warning[implementation-defined-convergence]: work_group_commit_read_pipe
  all = sub_group_reserve_read_pipe(p, 8);  //~ warning[implementation-defined-convergence]: sub_group_reserve_read_pipe
  sub_group_commit_read_pipe(p, all);  //~ warning[implementation-defined-convergence]: sub_group_commit_read_pipe
  read_pipe(p, &t);  //~ implementation-defined
}
