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

// All come back to the label together, however often each has gone round the loop: what they know of `d` does not depend on that.
kernel void back_into_a_loop(global int *p, int n) {
  int c = p[get_local_id(0)], d = n;
  goto in;
  while (c--) {
  in:  //~ implementation-defined
    p[1] = sub_group_reduce_add(c);
  }
  if (d--) goto in;
}

// Threads that have returned take no jump. All others jump, or none of them.
kernel void after_a_return(global int *p, int n) {
  if (get_local_id(0) == 0) return;
  if (n) goto out;
  p[0] = 1;
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);
}
