// A `}` is missing: the next kernel seems to begin inside of this one. The error stands at the brace that has no partner, and the
// next kernel is analysed nevertheless.
kernel void broken(global int *data, int n) {  //~ error[syntax-error]@45: unclosed
  int i = get_global_id(0);
  if (i < n) {
    data[i] = 1;
}

kernel void whole(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;
  data[t] = 1;
out:
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}
