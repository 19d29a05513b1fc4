// A program with jumps that has nothing to say of them: every operation stands where the ways are together, before the
// labels or behind the block that holds jump and label.
kernel void k(global int *data, int n) {
  int t = get_local_id(0);
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ defined
  {
    if (data[t] < 0)
      goto clamp;
    if (data[t] < n)
      goto done;
  clamp:  //~ implementation-defined
    data[t] = n;
  done:  //~ implementation-defined
    data[t]++;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: function-body //~ defined
}
