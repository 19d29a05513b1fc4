void helper(global int *p) {
  if (get_local_id(0) > 3)
    barrier(1);
}
