// A jump into the body of a `for` puts its condition and its step in doubt too: they belong to the cycle
// (thread-convergence, Iteration Statement and third example).
kernel void resume(global int *data, int n) {
  int t = get_local_id(0), i = 0;
  if (data[t])
    goto inside;
  for (i = sub_group_broadcast(t, 0);
       sub_group_any(i < n);  //~ warning[implementation-defined-convergence]@8: sub_group_any
       i += sub_group_all(i)) {  //~ warning[implementation-defined-convergence]@13: sub_group_all
    data[t]++;  //~ implementation-defined
  inside:  //~ implementation-defined
    data[t]--;
  }
}
