// Nobody knows what a pointer will call, so the call counts as convergent (docs/semantics.md §6), also if no function in sight is.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*step_t)(int);
int twice(int x) { return 2 * x; }
int thrice(int x) { return 3 * x; }

kernel void k(global int *data) {
  int t = get_local_id(0);
  step_t step = twice;
  if (data[t] & 1)
    step = thrice;
  data[t] = step(data[t]);  //~ defined
  if (data[t] > 9)
    goto out;
  data[t] = step(data[t]);  //~ tangles: sequence //~ defined
out:  //~ implementation-defined
  data[t] = twice(data[t]);  //~ implementation-defined
  data[t] = step(data[t]);  //~ warning[implementation-defined-convergence]@13
}
