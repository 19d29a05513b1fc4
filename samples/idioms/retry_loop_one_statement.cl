// The retry as one labelled statement: it holds label and jump, so the threads rejoin at its end, and the barrier is defined.
kernel void k(global int *lock, global int *out, local int *x) {
  int t = get_local_id(0);
retry:  //~ defined
  if (atomic_cmpxchg(&lock[t & 3], 0, 1) != 0)  //~ defined
    goto retry;  //~ defined
  x[t] = out[t];  //~ tangles: function-body //~ defined
  atomic_xchg(&lock[t & 3], 0);  //~ defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  out[t] = x[t ^ 1];
}
