// A function that calls through its parameter is convergent, since the pointer may lead to a barrier.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
int inc(int v) { return v + 1; }
int apply(int (*f)(int), int v) { return f(v); }

kernel void k(global int *out) {
  int t = get_local_id(0);
  out[t] = apply(inc, t);  //~ defined
  if (t & 1)
    goto on;
  out[t] += 1;
on:
  out[t] += apply(inc, t);  //~ warning[implementation-defined-convergence]: apply
}
