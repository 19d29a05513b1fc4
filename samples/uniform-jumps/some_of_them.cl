// The same jumps where threads of the group may part: the warning is there.
kernel void by_id(global int *p, int n) {
  if (get_local_id(0) < n) goto out;
  p[0] = 1;
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
}

// A sub-group is all in one branch, the work-group is not: the scope of the operation decides.
kernel void by_subgroup(global int *p) {
  if (get_sub_group_id() == 0) goto out;
  p[0] = 1;
out:  //~ implementation-defined
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
}

kernel void falls_through(global int *p) {
  switch (p[get_local_id(0)]) {
  case 1:
    p[0] = 1;
  case 2:  //~ implementation-defined
    barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
    break;
  }
}

kernel void leaves_when_it_is_done(global int *p) {
  for (int i = 0;; i++) {
    if (i > get_local_id(0)) goto out;
    p[i] = 1;
  }
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
}

// Part of the group has returned, and part of the rest jumps.
kernel void after_a_return(global int *p, int n) {
  if (get_local_id(0) == 0) return;
  if (get_local_id(0) < n) goto out;
  p[0] = 1;
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
}

static void helper(global int *p, int n) {
  if (n) goto out;
  p[0] = 1;
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
}

kernel void passes_what_differs(global int *p) {
  helper(p, get_local_id(0));
}

// Who calls this one, nobody knows here.
void exported(global int *p, int n) {
  if (n) goto out;
  p[0] = 1;
out:  //~ implementation-defined
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier
}
