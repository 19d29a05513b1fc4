// Duff's device with plain copies: left to the implementation, but nobody can tell.
kernel void k(global const int *in, global int *out, local int *x, int n) {
  int t = get_local_id(0), i = 0, rounds = (n + 1) / 2;
  switch (t % 2) {
  case 0:
    do {
      x[t] += in[i++];  //~ implementation-defined
    case 1:  //~ implementation-defined
      x[t] += in[i++];  //~ implementation-defined
    } while (--rounds > 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  out[t] = x[t];
}
