// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// opencv, pull request 6266: a loop left by a counter that is changed without a barrier behind its test: as it was.

__kernel void stage2_hysteresis(__global uchar *map, int cols) {
  int lid = get_local_id(0) + get_local_id(1) * LOCAL_X;
  __local ushort2 l_stack[4 * LOCAL_X * LOCAL_Y];
  __local int l_counter;
  if (lid == 0) l_counter = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (map[get_global_id(0)] == 2)
    l_stack[atomic_inc(&l_counter)] = (ushort2)(get_global_id(0), 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  ushort2 p_stack[8];
  int p_counter = 0;
  while (l_counter != 0) {
    int mod = l_counter % (LOCAL_X * LOCAL_Y);
    int pix_per_thr = l_counter / (LOCAL_X * LOCAL_Y) + ((lid < mod) ? 1 : 0);
    for (int i = 0; i < pix_per_thr; ++i) {
      ushort2 pos = l_stack[atomic_dec(&l_counter) - 1];
      if (map[pos.x + 1] == 0)
        p_stack[p_counter++] = (ushort2)(pos.x + 1, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
    while (p_counter > 0)
      l_stack[atomic_inc(&l_counter)] = p_stack[--p_counter];
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
  }
}
