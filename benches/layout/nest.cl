kernel void nest(global int *p, global int *q, int n, int m) {
  int i = get_global_id(0);
  int l = get_local_id(0);
  for (int a = 0; a < n; a++) {
    if (p[a] > i) {
      for (int b = 0; b < l; b++) {
        if (q[b] == a) {
          if (q[b + 1] > m)
            break;
          while (p[b] != q[a]) {
            if (l > 3)
              p[b] = sub_group_broadcast(q[a], 0);
            else
              p[b]++;
          }
        } else if (q[b] == m) {
          continue;
        }
        p[a * b] = 1;
      }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
