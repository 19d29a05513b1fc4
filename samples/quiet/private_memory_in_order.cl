// Private memory is read before something of one's own is written there.

kernel void by_pointer(global int *p, int n) {
  int v = n;
  int *at = &v;
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  *at = get_local_id(0);
  p[get_global_id(0)] = v;
}

kernel void elements(global int *p, int n) {
  int scratch[2] = {n, n / 2};
  for (int i = scratch[1]; i < scratch[0]; i++)
    barrier(CLK_GLOBAL_MEM_FENCE);
  scratch[0] = get_local_id(0);
  scratch[1] = scratch[0] * 2;
  p[get_global_id(0)] = scratch[1];
}

// Volatile variables of one's own are nobody else's.
kernel void volatile_of_one(global int *p, int n) {
  volatile int tries = n;
  while (tries > 0) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    tries--;
  }
  p[get_global_id(0)] = tries;
}
