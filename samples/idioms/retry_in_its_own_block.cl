// The same retry loop in a block of its own: the block is the smallest statement with the label and the jump, so that
// behind it the threads are one again, as they would be behind `do … while` (thread-convergence, Divergent Jumps).
kernel void settle(global int *data, local int *tile, int n) {
  int t = get_local_id(0), value = data[t];
  {
  again:
    tile[t] = value;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    value = max(value, tile[(t + 1) % n]);
    if (value != tile[t])
      goto again;
    data[t] = value;  //~ implementation-defined //~ rejoins: 13
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
}
