// Which barrier it is depends on the version of the language; either is an operation, and there is one of them.
#if __OPENCL_C_VERSION__ >= 200
#define GROUP_SYNC(flags) work_group_barrier(flags)
#else
#define GROUP_SYNC(flags) barrier(flags)
#endif

kernel void k(global int *data) {
  int t = get_local_id(0);
  switch (data[t] & 3) {
  case 3:
    GROUP_SYNC(CLK_GLOBAL_MEM_FENCE);  //~ tangles: case-label //~ defined
  case 2:  //~ tangles: case-label, case-label
    GROUP_SYNC(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@5: barrier
  }
  GROUP_SYNC(CLK_GLOBAL_MEM_FENCE);  //~ tangles: function-body //~ defined
}
