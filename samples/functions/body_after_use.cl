// The body that has the barrier stands behind the kernel that calls it: what a function is does not depend on the order
// in the file.
static void flush(local int *tile, int t);
static int peek(local int *tile, int t);

kernel void k(global int *data, local int *tile) {
  int t = get_local_id(0);
  switch (data[t]) {
  case 0:
    flush(tile, t);  //~ tangles: case-label //~ defined
  default:  //~ tangles: case-label, case-label //~ implementation-defined
    data[t] = peek(tile, t);  //~ implementation-defined
    flush(tile, t);  //~ warning[implementation-defined-convergence]@5: flush
  }
  flush(tile, t);  //~ tangles: function-body //~ defined
}

static void flush(local int *tile, int t) {
  tile[t] = 0;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
}
static int peek(local int *tile, int t) {
  return tile[t];
}
