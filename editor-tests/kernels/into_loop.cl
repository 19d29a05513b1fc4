// A jump into a loop: who takes part in the barrier depends on the compiler.
kernel void entered(global int *a, int n) {
  int i = 0;
  if (get_local_id(0) > 3) goto inside;
  for (; i < n; ++i) {
    a[i] = i;
inside:
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
