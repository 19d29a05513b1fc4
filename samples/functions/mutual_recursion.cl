// Two helpers call each other, and only one has an operation: both are convergent. OpenCL C forbids recursion, clang does
// not, and the analysis must end in any case.
void pong(global int *data, int n);

void ping(global int *data, int n) {
  if (n > 0)  //~ tangles: function-body
    pong(data, n - 1);  //~ tangles: if-branch //~ defined
}
void pong(global int *data, int n) {
  data[n] = sub_group_reduce_add(data[n]);  //~ defined
  ping(data, n);
}
void idle(global int *data, int n) {
  if (n > 0)
    idle(data, n - 1);
  data[n]++;
}

kernel void k(global int *data, int n) {
  int t = get_local_id(0);
  if (data[t])
    goto rest;
  ping(data, n);  //~ tangles: sequence //~ defined
rest:  //~ implementation-defined
  idle(data, n);  //~ implementation-defined
  ping(data, n);  //~ warning[implementation-defined-convergence]@3: ping
}
