// A staged computation whose stages are `case` labels that fall through, with barriers: from the second label on, threads
// that entered at different stages can meet.
kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  switch (out[t]) {
  case 0:  //~ defined
    x[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  case 1:  //~ implementation-defined
    x[t] += 1;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]: barrier //~ rejoins: 15
    break;
  case 2:  //~ tangles: case-label //~ defined
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: case-label //~ defined
  }
  out[t] = x[t ^ 1];
}
