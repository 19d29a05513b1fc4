// An operand of `sizeof` is not evaluated, so no thread executes the operation ("the set of threads in T that evaluate that
// expression" is empty).
kernel void k(global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  out[t] += sizeof(sub_group_reduce_add(t));  //~ implementation-defined
}
