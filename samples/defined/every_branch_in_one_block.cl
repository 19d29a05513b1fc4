// Jump, label and all that is doubtful between braces; the barrier stands behind them. The usual way to make such code safe.
kernel void k(global int *out, local int *x) {
  int t = get_local_id(0), v = 0;
  {
    if (t & 1)
      goto skip;
    v = out[t];
    if (v < 0)
      goto skip;
    v *= 2;
  skip:  //~ tangles: 3 //~ implementation-defined //~ rejoins: 13
    x[t] = v;  //~ implementation-defined
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  out[t] = x[t ^ 1];
}
