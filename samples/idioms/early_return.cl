// Early return, then an operation of those that are left: one tangle, no warning. (That a barrier there would wait for threads
// that are gone is another matter.)
kernel void k(global uint *out, int n) {
  int t = get_global_id(0);
  if (t >= n)
    return;
  out[t] = sub_group_ballot(out[t] > 0).x;  //~ defined
}
