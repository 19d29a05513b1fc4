// A retry loop made by a backward jump. What comes round is the next iteration, so the span is defined; threads leave it
// on different rounds, so what follows is a family (thread-convergence, Divergent Jumps; docs/semantics.md §3.2, 3.3).
kernel void settle(global int *data, local int *tile, int n) {
  int t = get_local_id(0), value = data[t];
again:  //~ tangles: function-body //~ defined
  tile[t] = value;  //~ tangles: function-body
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  value = max(value, tile[(t + 1) % n]);
  if (value != tile[t])  //~ tangles: function-body //~ defined
    goto again;  //~ tangles: if-branch
  barrier(CLK_LOCAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3 //~ tangles: sequence* //~ rejoins: 13
  data[t] = value;  //~ implementation-defined
}
