// A call through a pointer may reach a convergent function, so it counts as one.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
int inc(int v) { return v + 1; }

kernel void k(global int *out) {
  int t = get_local_id(0);
  int (*f)(int) = inc;
  out[t] = f(t);  //~ defined
  if (t & 1)
    goto on;
  out[t] += 1;
on:
  out[t] += f(t);  //~ warning[implementation-defined-convergence]
  out[t] += (*f)(t);  //~ warning[implementation-defined-convergence]
}
