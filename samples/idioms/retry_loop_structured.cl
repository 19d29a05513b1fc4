// The same retry as a `while` loop: the threads rejoin at its end.
kernel void k(global int *lock, global int *out, local int *x) {
  int t = get_local_id(0);
  while (atomic_cmpxchg(&lock[t & 3], 0, 1) != 0)
    ;
  x[t] = out[t];  //~ defined
  atomic_xchg(&lock[t & 3], 0);
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  out[t] = x[t ^ 1];
}
