// A macro that hides a jump: the usual error check. The barrier behind the label is reported like any other.
#define CHECK(condition) if (!(condition)) goto failed

kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  CHECK(t > 3);  //~ defined
  x[t] = out[t];
  CHECK(x[t] > t);
  x[t] += 1;
failed:  //~ tangles: 3 //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
  out[t] = x[t ^ 1];
}
