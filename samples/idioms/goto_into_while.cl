// A jump into the body of a loop: a cycle with two entries (thread-convergence, third example). All of the body is in
// doubt, and so is what follows, up to the end of the smallest statement with jump and label.
kernel void resume(global int *data, int n) {
  int t = get_local_id(0), i = 0;
  {
    if (data[t])  //~ defined
      goto middle;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: sequence //~ defined
    while (i < n) {
      data[i] += sub_group_broadcast(i, 0);  //~ warning[implementation-defined-convergence]: sub_group_broadcast
    middle:  //~ implementation-defined //~ rejoins: 16
      data[i] += sub_group_any(data[t]);  //~ warning[implementation-defined-convergence]: goto middle
      i++;
    }
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence] //~ rejoins: 16
  }
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ defined
}
