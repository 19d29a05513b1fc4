// A retry by backward `goto`, as a spin on an atomic. The jump's span is defined; threads get the lock in different rounds, and
// behind the cycle nothing makes them rejoin before the end of the function, so the barrier there is doubtful.
kernel void k(global int *lock, global int *out, local int *x) {
  int t = get_local_id(0), old;
retry:  //~ defined
  old = atomic_cmpxchg(&lock[t & 3], 0, 1);  //~ defined
  if (old != 0)  //~ defined
    goto retry;
  x[t] = out[t];  //~ tangles: sequence* //~ implementation-defined
  atomic_xchg(&lock[t & 3], 0);  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier //~ rejoins: 13
  out[t] = x[t ^ 1];
}
