// Each thread has its own work. Who is still there?
kernel void drain(global const int *work, global int *done) {
  int i = get_local_id(0);
  int left = work[i];
  while (left > 0) {
    int workers = sub_group_reduce_add(1);
    done[i] += workers;
    left--;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 0)
    done[0] += done[1];
}
