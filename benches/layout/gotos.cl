kernel void gotos(global int *p, int n) {
  int i = get_local_id(0);
  if (n > 3)
    goto inside;
  while (p[i] < n) {
    p[i]++;
inside:
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[i] == 7)
      goto out;
  }
  p[0] = 2;
out:
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  p[i] = n;
}
