// Duff's device with a barrier in the unrolled body: the entry differs from thread to thread, and so the cycle is irreducible.
kernel void k(global const int *in, global int *out, local int *x, int n) {
  int t = get_local_id(0), i = 0, rounds = (n + 1) / 2;
  switch (t % 2) {
  case 0:
    do {
      x[t] += in[i++];
      barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
    case 1:  //~ implementation-defined
      x[t] += in[i++];
      barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
    } while (--rounds > 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  out[t] = x[t];
}
