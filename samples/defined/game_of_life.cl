// Generations in local memory: the loop is left by a flag that all threads of the group read.
kernel void live(global uchar *cells, local uchar *now, local uchar *next, local int *changed, int generations) {
  int t = get_local_id(0), n = get_local_size(0);
  now[t] = cells[get_global_id(0)];
  for (int g = 0; g < generations; ++g) {
    if (t == 0)
      *changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    int around = now[(t + n - 1) % n] + now[(t + 1) % n];
    switch (around) {
    case 1:
      next[t] = 1;
      break;
    case 0:
    case 2:
      next[t] = 0;
      break;
    }
    if (next[t] != now[t])
      atomic_or(changed, 1);
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
    if (!*changed)
      break;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: sequence //~ defined
    local uchar *swapped = now;
    now = next;
    next = swapped;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  cells[get_global_id(0)] = now[t];
}
