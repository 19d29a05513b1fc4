// Jumps that all threads of the group take, or none: nobody can part, so the main warning is silent. The tangles are still there.
kernel void by_parameter(global int *p, int n) {
  if (n) goto out;
  p[0] = 1;
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void by_group(global int *p) {
  if (get_group_id(0) == 0) goto out;
  p[0] = 1;
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void falls_through(global int *p, int n) {
  switch (n) {
  case 1:
    p[0] = 1;
  case 2:  //~ implementation-defined
    barrier(CLK_LOCAL_MEM_FENCE);
    break;
  }
}

kernel void leaves_in_one_iteration(global int *p, int n) {
  for (int i = 0;; i++) {
    if (i > n) goto out;
    p[i] = 1;
  }
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);
}

static void helper(global int *p, int n) {
  if (n) goto out;
  p[0] = 1;
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void passes_what_is_uniform(global int *p, int n) {
  helper(p, n + 1);
}
