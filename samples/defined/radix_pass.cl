// One pass of a radix sort: ranks by prefix sums, bit by bit.
kernel void pass(global uint *keys, local uint *scratch, local uint *total) {
  uint t = get_local_id(0), n = get_local_size(0), key = keys[get_global_id(0)];
  for (uint bit = 0; bit < 32; bit++) {
    uint zero = !(key >> bit & 1);
    scratch[t] = zero;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
    for (uint step = 1; step < n; step <<= 1) {
      uint other = t >= step ? scratch[t - step] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
      scratch[t] += other;
      barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
    }
    if (t == n - 1)
      *total = scratch[t];
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
    uint at = zero ? scratch[t] - 1 : *total + t - scratch[t];
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    scratch[at] = key;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    key = scratch[t];
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  }
  keys[get_global_id(0)] = key;
}
