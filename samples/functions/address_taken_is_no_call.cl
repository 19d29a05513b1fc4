// To name a convergent function is not to call it.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
int total(int v) { return sub_group_reduce_add(v); }

kernel void k(global int *out) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  out[t] += total != 0;  //~ implementation-defined
}
